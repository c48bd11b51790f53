use "used.thy";
