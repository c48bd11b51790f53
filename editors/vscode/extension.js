// The client: it starts `coarsen lsp` and shows the report behind a lens. All else is the server's.
const vscode = require("vscode");
const { LanguageClient } = require("vscode-languageclient/node");

let client;

async function start() {
  const settings = vscode.workspace.getConfiguration("coarsen");
  const run = { command: settings.get("path"), args: ["lsp", "--limit-time", settings.get("limitTime")] };
  client = new LanguageClient("coarsen", "Coarsen", { run, debug: run }, {
    documentSelector: [{ language: "coarsen" }],
    // The server then gives its lenses a command, which is registered below.
    initializationOptions: { show: true },
  });
  try {
    await client.start();
  } catch (error) {
    const choice = await vscode.window.showErrorMessage(
      `Coarsen: \`${run.command}\` can't be started (${error}). Install it with \`cargo install coarsen\`, or say where it is.`,
      "Settings",
    );
    if (choice) await vscode.commands.executeCommand("workbench.action.openSettings", "coarsen.path");
  }
}

async function show(title, text) {
  const content = `${text.trimEnd()}\n`;
  const document = await vscode.workspace.openTextDocument({ content, language: "plaintext" });
  await vscode.window.showTextDocument(document, { viewColumn: vscode.ViewColumn.Beside, preview: true });
}

async function activate(context) {
  context.subscriptions.push(
    vscode.commands.registerCommand("coarsen.show", show),
    vscode.commands.registerCommand("coarsen.restart", async () => {
      await client?.stop().catch(() => {});
      await start();
    }),
  );
  await start();
}

function deactivate() {
  return client?.stop();
}

module.exports = { activate, deactivate };
