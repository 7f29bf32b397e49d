import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { runCli } from '../support/service/cli.js';
import { temporaryDirectory } from '../support/temporary-directory.js';

const pages = ['audit.md', 'views.md'];

type Paste = { command: string; text: string };

/** Each `$ flow-hooks … --help` of a page, with what follows it up to the next command or the end of its block. */
function helpPastedIn(page: string): readonly Paste[] {
  const markdown = readFileSync(new URL(`../../../docs/${page}`, import.meta.url), 'utf8');
  const blocks = [...markdown.matchAll(/^```\n(.*?)^```$/gms)].map(([, block = '']) => block);
  return blocks
    .flatMap((block) => block.split(/^\$ (?=flow-hooks )/m).slice(1))
    .map((paste) => ({ command: paste.slice(0, paste.indexOf('\n')), text: paste.slice(paste.indexOf('\n') + 1) }))
    .filter(({ command }) => command.endsWith(' --help'));
}

describe('the help that is pasted into the documentation', () => {
  for (const page of pages) {
    it(`is the output of the commands of docs/${page}`, async () => {
      const pasted = helpPastedIn(page);
      expect(pasted).not.to.deep.equal([]);
      for (const { command, text } of pasted) {
        const { stdout } = await runCli(temporaryDirectory(), ...command.split(' ').slice(1));
        expect(stdout.trimEnd(), command).to.equal(text.trimEnd());
      }
    }).timeout(60_000);
  }
});
