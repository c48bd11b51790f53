// A cache of one page, which counts its users.
#pragma once

struct page {
    int number, users, stale;
    int text;
};

struct page *cache_get(int number);
void cache_put(struct page *page);
void cache_drop(void);
