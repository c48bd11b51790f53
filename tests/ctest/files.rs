//! Files that programs open by name: as natively, but nothing on disk changes, and each step is one of the exploration.

use super::formats::coarsen;
use super::support::HEAD;
use super::{Scratch, possible};
use std::process::Command;

/// All functions of streams, with threads that write to one of them.
const ALL: &str = r#"
#include <string.h>
FILE *lg;
void *w(void *a) { fprintf(lg, "thread %d\n", (int)(long)a); fputs("x", lg); return 0; }
int main(void) {
    assert(!fopen("nothing.txt", "r") && errno == ENOENT);
    assert(!fopen("no/such/dir.txt", "w") && errno == ENOENT);
    FILE *in = fopen("./given.txt", "r");
    char line[64];
    assert(in && fgets(line, sizeof line, in) && !strcmp(line, "one\n"));
    assert(fgetc(in) == 't' && ungetc('T', in) == 'T' && fgetc(in) == 'T');
    char b[8] = {0};
    assert(fread(b, 1, 3, in) == 3 && !strcmp(b, "wo\n"));
    assert(!feof(in) && fgetc(in) == EOF && feof(in));
    rewind(in);
    char *l = 0;
    size_t n = 0;
    assert(getline(&l, &n, in) == 4 && !strcmp(l, "one\n"));
    assert(getline(&l, &n, in) == 4 && getline(&l, &n, in) == -1);
    rewind(in);
    assert(getdelim(&l, &n, 't', in) == 5 && !strcmp(l, "one\nt"));
    fpos_t here;
    assert(fgetpos(in, &here) == 0 && fgetc(in) == 'w' && fgetc(in) == 'o');
    assert(fsetpos(in, &here) == 0 && ftell(in) == 5 && fgetc(in) == 'w');
    free(l);
    setvbuf(in, 0, _IONBF, 0);
    assert(fputs("no", in) == EOF && ferror(in));
    clearerr(in);
    assert(!ferror(in) && fclose(in) == 0);
    FILE *numbers = fopen("numbers.txt", "w+");
    fputs("12 -7 foo\n3.5x 99", numbers);
    rewind(numbers);
    int p, q;
    double d;
    assert(fscanf(numbers, "%d %d %7s", &p, &q, b) == 3 && p == 12 && q == -7 && !strcmp(b, "foo"));
    assert(ftell(numbers) == 9 && fgetc(numbers) == '\n');
    assert(fscanf(numbers, "%lf", &d) == 1 && d == 3.5);
    assert(fscanf(numbers, "%d", &p) == 0 && p == 12 && ftell(numbers) == 13 && fgetc(numbers) == 'x');
    assert(!feof(numbers) && ungetc('1', numbers) == '1');
    assert(fscanf(numbers, "%d%d", &p, &q) == 2 && p == 1 && q == 99 && feof(numbers));
    assert(fscanf(numbers, "%d", &p) == EOF && fclose(numbers) == 0 && remove("numbers.txt") == 0);
    lg = fopen("out.log", "w+");
    pthread_t t[2];
    for (long i = 0; i < 2; i++) pthread_create(&t[i], 0, w, (void *)i);
    for (int i = 0; i < 2; i++) pthread_join(t[i], 0);
    assert(ftell(lg) == 20);
    fseek(lg, 0, SEEK_SET);
    int lines = 0;
    while (fgets(line, sizeof line, lg)) lines++;
    assert(lines == 3);
    assert(fflush(lg) == 0 && fclose(lg) == 0);
    FILE *ap = fopen("out.log", "a");
    fputc('!', ap);
    fclose(ap);
    ap = fopen("out.log", "r+");
    fseek(ap, -1, SEEK_END);
    assert(fgetc(ap) == '!');
    fseek(ap, 2, SEEK_END);
    assert(fwrite("ab", 1, 2, ap) == 2 && ftell(ap) == 25);
    fseek(ap, 21, SEEK_SET);
    assert(fgetc(ap) == 0 && fgetc(ap) == 0 && fgetc(ap) == 'a');
    fclose(ap);
    assert(rename("out.log", "old.log") == 0 && !fopen("out.log", "r"));
    assert(remove("old.log") == 0 && remove("old.log") == -1 && errno == ENOENT);
    fprintf(stderr, "done\n");
    return 0;
}
"#;

fn files(scratch: &Scratch) -> Vec<String> {
    let entries = std::fs::read_dir(&scratch.0).expect("a folder");
    let name = |e: std::io::Result<std::fs::DirEntry>| e.expect("an entry").file_name();
    let mut all: Vec<String> = entries
        .map(|e| name(e).to_string_lossy().into_owned())
        .collect();
    all.sort();
    all
}

/// What is told of a program, with all of its errors.
fn tested(scratch: &Scratch, body: &str) -> (i32, String) {
    scratch.file("program", &format!("{HEAD}{body}"));
    let (code, out, err) = coarsen(&["test", "--keep-going", "program.c"], &scratch.0);
    (code, out + &err)
}

fn holds(scratch: &Scratch, body: &str, executions: usize) {
    let (code, out) = tested(scratch, body);
    let said = match executions {
        1 => "no error in the only execution".to_string(),
        n => format!("no error in all of the {n} executions"),
    };
    assert!(code == 0 && out.contains(&said), "{body}\n{out}");
}

#[test]
fn files_are_as_natively_and_nothing_on_disk_changes() {
    if !possible() {
        return;
    }
    let scratch = Scratch::new("files");
    std::fs::write(scratch.0.join("given.txt"), "one\ntwo\n").expect("a file");
    // Each thread writes twice, and the order of all four is told apart.
    holds(&scratch, ALL, 6);
    assert_eq!(files(&scratch), ["given.txt", "program.c"]);
    let build = ["-w", "-o", "native", "program.c", "-lpthread"];
    let built = Command::new("gcc")
        .args(build)
        .current_dir(&scratch.0)
        .status();
    assert!(built.is_ok_and(|s| s.success()));
    let ran = Command::new("./native")
        .current_dir(&scratch.0)
        .output()
        .expect("it runs");
    assert!(ran.status.success(), "{ran:?}");
}

#[test]
fn the_order_of_steps_with_one_file_is_told_apart() {
    if !possible() {
        return;
    }
    let scratch = Scratch::new("files-order");
    let two = |first: &str, second: &str, end: &str| {
        format!(
            "FILE *f; void *a(void *u) {{ {first} return u; }} void *b(void *u) {{ {second} return u; }}
             int main(void) {{ pthread_t t, s; f = fopen(\"x\", \"w+\"); go(t, a); go(s, b); end(t); end(s);
             {end} return 0; }}"
        )
    };
    let open =
        |name: &str| format!("FILE *g = fopen(\"{name}\", \"w\"); fputs(\"1\", g); fclose(g);");
    // Different files have nothing to do with each other.
    holds(&scratch, &two(&open("y"), &open("z"), ""), 1);
    holds(
        &scratch,
        &two("fputs(\"a\", f);", "fputs(\"b\", f);", "fclose(f);"),
        2,
    );
    let look = "char c[4]; rewind(f); fgets(c, 4, f); assert(c[0] == 'a');";
    let (code, out) = tested(&scratch, &two("fputc('a', f);", "fputc('b', f);", look));
    assert!(
        code == 10 && out.contains("assertion `c[0] == 'a'`"),
        "{out}"
    );
    assert!(out.contains("file operations: 1 -> 2"), "{out}");
    assert!(!out.contains("data races"), "{out}");
    // Renaming is one step with both names: nobody finds both.
    let renames = "rename(\"y\", \"z\");";
    let looks = "int z = remove(\"z\"), y = remove(\"y\"); assert(z || y);";
    let made = format!("{{ {} }} go(t, a);", open("y"));
    holds(
        &scratch,
        &two(renames, looks, "").replace("go(t, a);", &made),
        3,
    );
    // What is removed while it is open is there for its stream.
    let removed = format!(
        "int main(void) {{ {} FILE *r = fopen(\"y\", \"r\"); remove(\"y\"); assert(fgetc(r) == '1'); fclose(r);
         assert(!fopen(\"y\", \"r\")); {} return 0; }}",
        open("y"),
        open("y").replace("FILE *g", "g")
    );
    holds(&scratch, &removed, 1);
    // Who removes it first decides whether the other finds it.
    let removes = "assert(remove(\"y\") == 0);";
    let (code, out) = tested(&scratch, &two(&open("y"), removes, ""));
    assert!(code == 10 && out.contains("assertion `remove"), "{out}");
    let (code, out) = tested(&scratch, &two("fputs(\"a\", f);", "fclose(f);", ""));
    assert!(code == 10 && out.contains("use after free"), "{out}");
    let (code, out) = tested(
        &scratch,
        "int main(void) { FILE *f = fopen(\"x\", \"w\"); fclose(f); fclose(f); }",
    );
    assert!(code == 10 && out.contains("use after free"), "{out}");
    for (body, why) in [
        (
            "fgetc(stdin);",
            "reading from standard input (`--stdin FILE` says what is there)",
        ),
        (
            "char s[2000]; FILE *f = fopen(\"x\", \"w+\"); for (int i = 0; i < 1100; i++) fputc('a', f); \
             rewind(f); fscanf(f, \"%s\", s);",
            "`fscanf` of more than 1,023 bytes",
        ),
        (
            "FILE *f = fopen(\"x\", \"w+\"); flockfile(f);",
            "a function of streams such as `freopen`",
        ),
        (
            "FILE *f = fopen(\"x\", \"w\"); fclose(f); assert(access(\"x\", 0) == 0);",
            "a function of files such as `dup`",
        ),
        (
            "int f = open(\"x\", 0102, 0600); assert(dup(f) >= 0);",
            "a function of files such as `dup`",
        ),
        (
            "fopen(\"/dev/null\", \"w\");",
            "a file that is no data on disk",
        ),
        (
            "FILE *f = fopen(\"x\", \"w\"); remove(\"x\"); fopen(\"x\", \"w\");",
            "in place of one that is removed",
        ),
        (
            "FILE *f = fopen(\"x\", \"w\"); rename(\"x\", \"y\");",
            "renaming a file that is open",
        ),
        (
            "FILE *f = fopen(\"x\", \"w\"); fseek(f, 1 << 20, 0); fputc(1, f);",
            "a file of more than a megabyte",
        ),
    ] {
        let (code, out) = tested(&scratch, &format!("int main(void) {{ {body} return 0; }}"));
        assert!(code == 20 && out.contains(why), "{body}\n{out}");
    }
    assert_eq!(files(&scratch), ["program.c"]);
}

/// Reads all of standard input, in several ways, while threads add up what was there.
const READS: &str = r#"
#include <string.h>
#include <unistd.h>
int sum; pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
void *t(void *p) { int v = *(int *)p; lock(m); sum += v; unlock(m); return 0; }
int main() {
    int a, b; char rest[20];
    assert(scanf("%d %d", &a, &b) == 2 && getchar() == '\n');
    assert(fgets(rest, 20, stdin) && !strcmp(rest, "hello\n"));
    pthread_t h; pthread_create(&h, 0, t, &a); t(&b); end(h);
    assert(sum == 42 && getchar() == 'x' && getchar() == EOF && feof(stdin));
    return 0;
}
"#;

#[test]
fn standard_input_is_a_file() {
    if !possible() {
        return;
    }
    let scratch = Scratch::new("stdin");
    std::fs::write(scratch.0.join("in.txt"), "12 30\nhello\nx").expect("a file");
    let again = "rewind(stdin); assert(fgetc(stdin) == '1'); fclose(stdin); return 0;";
    let with_again = READS.replace("return 0;\n}", &format!("{again}\n}}"));
    let wrong = READS.replace("sum == 42", "sum == 12");
    let numbered =
        "#include <unistd.h>\nint main() { char b[9]; assert(read(0, b, 9) == 9 && b[6] == 'h'); }";
    let both = "no error in all of the 2 executions";
    let said = |body: &str, options: &[&str]| {
        scratch.file("program", &format!("{HEAD}{body}"));
        let args = [&["test"], options, &["program.c"]].concat();
        let (code, out, err) = coarsen(&args, &scratch.0);
        (code, out + &err)
    };
    let given = ["--stdin", "in.txt"];
    for (body, options, expected, text) in [
        (READS, &given[..], 0, both),
        (&with_again, &given, 0, both),
        (READS, &["--stdin", "in.txt", "--fork"], 0, both),
        (READS, &["--stdin", "/dev/null"], 10, "assertion `scanf"),
        (numbered, &given, 0, "no error in the only execution"),
        (
            READS,
            &[],
            20,
            "reading from standard input (`--stdin FILE`",
        ),
        (READS, &["--stdin", "none.txt"], 1, "none.txt: No such file"),
        (READS, &["--stdin", "."], 20, "a file that can't be read"),
        (
            &wrong,
            &["--stdin", "in.txt", "--trace", "t.json"],
            10,
            "assertion `sum == 12",
        ),
    ] {
        let (code, out) = said(body, options);
        assert!(
            code == expected && out.contains(text),
            "{options:?}: {code} {out}"
        );
    }
    // A trace knows what was read.
    let (code, out, _) = coarsen(&["replay", "t.json"], &scratch.0);
    assert!(code == 10 && out.contains("assertion `sum == 12"), "{out}");
    std::fs::write(scratch.0.join("in.txt"), "2 10\nhello\nx").expect("a file");
    let (code, out, _) = coarsen(&["replay", "t.json"], &scratch.0);
    assert!(code != 10, "{out}");
}
