import { readFileSync } from 'node:fs';
import { expect } from 'chai';

const read = (path: string): string => readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8');

/** In the compose files, only environment variables have keys in upper case. */
const settingsOfCompose = (text: string): readonly string[] => matches(text, /^ +([A-Z][A-Z0-9_]*):/gm);

const settingsOfDockerfile = (text: string): readonly string[] =>
  matches(text, /^ENV .*$/gm).flatMap((line) => matches(line, /([A-Z][A-Z0-9_]*)=/g));

/** The text of the pattern's group, or of the whole match if it has none. */
const matches = (text: string, pattern: RegExp): readonly string[] =>
  [...text.matchAll(pattern)].map(([all, group = all]) => group);

const ofNode = /^NODE_ENV$/;
const ofEventStoreDb = /^EVENTSTORE_/;

describe('the files that deploy the service', () => {
  const files = [
    { path: 'docker-compose.yml', settings: settingsOfCompose, among: ['MODE', 'HOST', 'EVENTSTOREDB_URL'] },
    { path: 'docker-compose.production.yml', settings: settingsOfCompose, among: ['MODE', 'ROLES', 'MASTER_KEYS'] },
    { path: 'Dockerfile', settings: settingsOfDockerfile, among: ['DATA_DIR', 'PORT'] },
  ];
  const documented = read('docs/operating.md');
  const source = ['config', 'shared-settings'].map((name) => read(`src/service/config/${name}.ts`)).join('\n');

  for (const { path, settings, among } of files) {
    it(`name in ${path} only settings that are read and documented`, () => {
      const names = settings(read(path)).filter((name) => !ofNode.test(name) && !ofEventStoreDb.test(name));
      expect(names).to.include.members(among);
      expect(names.filter((name) => !source.includes(`'${name}'`))).to.deep.equal([]);
      expect(names.filter((name) => !documented.includes(`\`${name}\``))).to.deep.equal([]);
    });
  }

  it('publish development mode on loopback only', () => {
    expect(matches(read('docker-compose.yml'), /^ +- (\S*\d:\d+)$/gm)).to.deep.equal(['127.0.0.1:3000:3000']);
    expect(read('docker-compose.production.yml')).not.to.match(/^\s*ports:/m);
  });

  it('pin every image to a release', () => {
    const images = ['docker-compose.yml', 'docker-compose.production.yml', 'Dockerfile'].flatMap((path) =>
      matches(read(path), /^(?: *image:|FROM) (\S+)/gm),
    );
    const others = images.filter((image) => image !== 'flow-hooks'); // built from the Dockerfile
    expect(others).to.have.length.above(2);
    for (const image of others) expect(image).to.match(/:\d+\.\d+\.\d+(-[\w-]+)?$/);
  });
});
