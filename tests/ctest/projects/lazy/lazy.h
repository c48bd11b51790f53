// A table that is made when it is first asked for.
#pragma once

const int *lazy_table(void);
