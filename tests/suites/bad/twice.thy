action x;
hypothesis 1 : x x <= x;
identity a : x <= x;
identity 1 : x <= x;
fails a : x <= 0;
identity premises [h : x <= x, h : x <= 1] : x <= 1;
