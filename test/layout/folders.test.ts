import { type Dirent, readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';

const project = fileURLToPath(new URL('../../../', import.meta.url));

/** Maximum number of files in a folder: more files are more than one idea. */
const maxFiles = 20;
const maxSourceEntries = 20;

type Folder = { path: string; files: number };

const entriesOf = (path: string): readonly Dirent[] => readdirSync(join(project, path), { withFileTypes: true });

/** A folder and all folders below it. */
function foldersOf(path: string): readonly Folder[] {
  const entries = entriesOf(path);
  const below = entries.filter((entry) => entry.isDirectory()).map(({ name }) => join(path, name));
  return [{ path, files: entries.filter((entry) => entry.isFile()).length }, ...below.flatMap(foldersOf)];
}

describe('the layout', () => {
  it(`has at most ${maxFiles} files in a folder`, () => {
    const all = ['src', 'projections', 'test', 'bench'].flatMap(foldersOf);
    expect(all.length).to.be.above(50);
    expect(all.filter(({ files }) => files > maxFiles)).to.deep.equal([]);
  });

  it(`has at most ${maxSourceEntries} entries in src/, and a line for each in docs/architecture.md`, () => {
    const names = entriesOf('src').map((entry) => (entry.isDirectory() ? `${entry.name}/` : entry.name));
    expect(names).to.have.length.within(2, maxSourceEntries);
    const architecture = readFileSync(join(project, 'docs/architecture.md'), 'utf8');
    expect(names.filter((name) => !architecture.includes(`| \`src/${name}\` |`))).to.deep.equal([]);
  });

  it('has a line in docs/architecture.md for each part of a module', () => {
    const architecture = readFileSync(join(project, 'docs/architecture.md'), 'utf8');
    const parts = entriesOf('src')
      .filter((entry) => entry.isDirectory() && entry.name !== 'cli')
      .flatMap(({ name }) =>
        entriesOf(join('src', name))
          .filter((entry) => entry.isDirectory())
          .map((entry) => join(name, entry.name)),
      );
    expect(parts.length).to.be.above(20);
    expect(parts.filter((part) => !architecture.includes(`| \`${relative('', part)}/\` |`))).to.deep.equal([]);
  });
});
