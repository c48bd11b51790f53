level domain;
action x, y;
test p;
identity a : dom x = p;
identity c : |x p = p;
identity d : <x p = p;
identity e : dom(x = p;
identity f : [x| = p;
