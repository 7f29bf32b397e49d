import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { expect } from 'chai';

const project = new URL('../../../', import.meta.url);
const read = (file: URL): string => readFileSync(file, 'utf8');

const below = (folder: string): readonly string[] =>
  readdirSync(new URL(folder, project), { recursive: true, encoding: 'utf8' }).map((name) => `${folder}${name}`);

const documents = [
  'README.md',
  'CONTRIBUTING.md',
  'llms.txt',
  ...below('docs/'),
  ...below('platforms/'),
  ...below('clients/'),
]
  .filter((name) => /\.(md|txt)$/.test(name) && !name.includes('/node_modules/'))
  .map((name) => new URL(name, project));

const withoutCode = (markdown: string): string => markdown.replace(/^```.*?^```/gms, '');

/** The anchors of headings, as GitHub makes them. */
const anchorsOf = (markdown: string): readonly string[] =>
  [...withoutCode(markdown).matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );

/** The links of a document to files of the project, and to headings. */
const linksOf = (markdown: string): readonly string[] =>
  [...withoutCode(markdown).matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, target = '']) => target)
    .filter((target) => !/^[a-z]+:/.test(target));

const isBroken = (link: string, document: URL): boolean => {
  const target = new URL(link, document);
  const anchor = target.hash.slice(1);
  target.hash = '';
  if (!existsSync(target)) return true;
  return anchor !== '' && !anchorsOf(read(target)).includes(anchor);
};

describe('the documentation', () => {
  it('links to files and headings that exist', () => {
    const links = documents.flatMap((document) => linksOf(read(document)).map((link) => ({ link, document })));
    expect(links).to.have.length.above(100);
    const broken = links.filter(({ link, document }) => isBroken(link, document));
    expect(broken.map(({ link, document }) => `${document.pathname}: ${link}`)).to.deep.equal([]);
  });

  it('has no links out of the packages that companies copy, and names there pages and headings that exist', () => {
    const packages = documents.filter(({ pathname }) => /\/(platforms|clients)\/[^/]+\/README\.md$/.test(pathname));
    expect(packages).to.have.length(6);
    for (const document of packages) {
      const text = read(document);
      expect(linksOf(text).filter((link) => link.startsWith('../'))).to.deep.equal([]);
      const named = [...text.matchAll(/`(docs\/[^`]*\.md)`(?:, \*([^*]+)\*)?/g)];
      for (const [, path = '', heading] of named) {
        expect(existsSync(new URL(path, project)), path).to.equal(true);
        if (heading) expect(read(new URL(path, project)), path).to.match(new RegExp(`^#+ ${heading}$`, 'm'));
      }
    }
  });

  it('names in security.md only files of code and tests that exist', () => {
    const named = [...read(new URL('docs/security.md', project)).matchAll(/`((?:src|test)\/[^`]*)`/g)];
    const paths = named.map(([, path = '']) => path);
    expect(paths).to.have.length.above(40);
    expect(paths.filter((path) => !existsSync(new URL(path, project)))).to.deep.equal([]);
  });
});
