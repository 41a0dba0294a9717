// Starts `trowel lsp` for the texts of mods and maps.
const { workspace } = require('vscode');
const { LanguageClient } = require('vscode-languageclient/node');

let client;

exports.activate = () => {
  const settings = workspace.getConfiguration('trowel');
  const args = ['lsp'];
  if (settings.get('base')) {
    args.push('--base', settings.get('base'));
  }
  client = new LanguageClient('trowel', 'Trowel', { command: settings.get('path'), args }, {
    documentSelector: [
      { scheme: 'file', language: 'torchlight' },
      { scheme: 'file', language: 'ddnet-rules' },
      ...['imageset', 'material', 'json', 'cfg', 'txt'].map((e) => ({ scheme: 'file', pattern: `**/*.{${e},${e.toUpperCase()}}` })),
    ],
  });
  return client.start();
};

exports.deactivate = () => client && client.stop();
