// What each lemma of `theories/lemmas/` needs: for each premise a model of the others in which the conclusion is false.

action a, b;
test e, f, g, h, q;
fails "protected without mine" [e f a <= a q, ~f b <= b q, ~f a <= a ~f, g b = b g, a = g a, g <= a T, h a = a h, b = h b, h <= b T] :
    b a <= a (q T + b + b q T);
fails "protected without others" [~e a <= a q, ~f b <= b q, ~f a <= a ~f, g b = b g, a = g a, g <= a T, h a = a h, b = h b, h <= b T] :
    b a <= a (q T + b + b q T);
fails "protected without yours" [~e a <= a q, e f a <= a q, ~f a <= a ~f, g b = b g, a = g a, g <= a T, h a = a h, b = h b, h <= b T] :
    b a <= a (q T + b + b q T);
fails "protected without gives" [~e a <= a q, e f a <= a q, ~f b <= b q, g b = b g, a = g a, g <= a T, h a = a h, b = h b, h <= b T] :
    b a <= a (q T + b + b q T);
fails "protected without unmoved" [~e a <= a q, e f a <= a q, ~f b <= b q, ~f a <= a ~f, a = g a, g <= a T, h a = a h, b = h b, h <= b T] :
    b a <= a (q T + b + b q T);
fails "protected without enabled" [~e a <= a q, e f a <= a q, ~f b <= b q, ~f a <= a ~f, g b = b g, g <= a T, h a = a h, b = h b, h <= b T] :
    b a <= a (q T + b + b q T);
fails "protected without goes" [~e a <= a q, e f a <= a q, ~f b <= b q, ~f a <= a ~f, g b = b g, a = g a, h a = a h, b = h b, h <= b T] :
    b a <= a (q T + b + b q T);
fails "protected without unread" [~e a <= a q, e f a <= a q, ~f b <= b q, ~f a <= a ~f, g b = b g, a = g a, g <= a T, b = h b, h <= b T] :
    b a <= a (q T + b + b q T);
fails "protected without enabled2" [~e a <= a q, e f a <= a q, ~f b <= b q, ~f a <= a ~f, g b = b g, a = g a, g <= a T, h a = a h, h <= b T] :
    b a <= a (q T + b + b q T);
fails "protected without goes2" [~e a <= a q, e f a <= a q, ~f b <= b q, ~f a <= a ~f, g b = b g, a = g a, g <= a T, h a = a h, b = h b] :
    b a <= a (q T + b + b q T);
