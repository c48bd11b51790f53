level divergence;
action x, y, open_file;
test p, q;
identity product : pq <= p;
identity near : dvi(x) <= dom(x);
identity elsewhere : antidomain(x) = 1;
identity word : skip x = x;
identity declared : open_fil x = x;
identity nothing : something x = x;
