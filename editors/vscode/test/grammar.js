// Holds a grammar to tokens: reads JSON from standard input, { scope, file, files: [{ name, lines, tokens }] }, where a
// token is [line, start, end, class], and says which tokens are coloured as something else.
const fs = require("fs");
const path = require("path");
const oniguruma = require("vscode-oniguruma");
const textmate = require("vscode-textmate");

const CLASSES = {
  comment: /^comment/,
  keyword: /^(keyword\.(?!operator)|storage|constant\.language|support)/,
  name: /^(variable|entity)/,
  number: /^constant\.numeric/,
  sign: /^(keyword\.operator|punctuation)/,
  string: /^string/,
};

async function main() {
  const { scope, file, files } = JSON.parse(fs.readFileSync(0, "utf8"));
  const wasm = require.resolve("vscode-oniguruma/release/onig.wasm");
  await oniguruma.loadWASM(fs.readFileSync(wasm).buffer);
  const registry = new textmate.Registry({
    onigLib: Promise.resolve({
      createOnigScanner: (patterns) => new oniguruma.OnigScanner(patterns),
      createOnigString: (text) => new oniguruma.OnigString(text),
    }),
    loadGrammar: async () => {
      const text = fs.readFileSync(path.join(__dirname, "..", "syntaxes", file), "utf8");
      return textmate.parseRawGrammar(text, file);
    },
  });
  const grammar = await registry.loadGrammar(scope);
  let wrong = 0;
  let seen = 0;
  for (const { name, lines, tokens } of files) {
    let stack = textmate.INITIAL;
    const coloured = lines.map((line) => {
      const result = grammar.tokenizeLine(line, stack);
      stack = result.ruleStack;
      return result.tokens;
    });
    for (const [line, start, end, kind] of tokens) {
      seen += 1;
      const over = coloured[line].filter((t) => t.startIndex < end && t.endIndex > start);
      const fits = (t) => CLASSES[kind].test(t.scopes[t.scopes.length - 1]);
      if (over.length > 0 && over.every(fits)) continue;
      wrong += 1;
      const scopes = over.map((t) => t.scopes[t.scopes.length - 1]).join(", ");
      if (wrong <= 20) console.log(`${name}:${line + 1}:${start + 1}: a ${kind} is ${scopes}: ${lines[line]}`);
    }
  }
  console.log(`${seen} tokens, ${wrong} wrong`);
  process.exit(wrong === 0 ? 0 : 1);
}

main();
