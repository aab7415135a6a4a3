// SPDX-License-Identifier: GPL-2.0
/* Takes the place of weak functions of another object, one at its section's start. */
int may_be_replaced(int x)
{
	return x + 1000;
}

int alone_and_weak(int x)
{
	return x + 2000;
}

int elsewhere(int x)
{
	return x;
}
