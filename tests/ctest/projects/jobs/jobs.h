// Workers that take jobs from a list until it is closed.
#pragma once

typedef void (*job_fn)(int);

void jobs_start(int workers);
void jobs_add(job_fn run, int argument);
void jobs_close(void);
