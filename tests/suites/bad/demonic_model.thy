level demonic;
action x, y;
fails nowhere : x 0 = 0 model { states 2; x = 1->2; };
fails premise [x 0 = 0] : y 0 = 0 model { states 2; x = 1->2; aborts = 2; };
fails true_here : x 0 <= x model { states 2; x = 1->2; aborts = 2; };
fails right : x 0 = 0 model { states 2; x = 1->2; aborts = 2; };
