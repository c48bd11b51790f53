action x;
identity a : x <= x;
identity "b : x <= x;
