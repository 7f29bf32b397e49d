import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { parse } from 'yaml';
import { settings as allSettings, readConfig } from '../../src/service/config/config.js';
import { readSettings } from '../../src/service/config/read-settings.js';
import { InvalidConfiguration } from '../../src/service/config/settings.js';
import { serverVersions } from '../eventstoredb-double/src/server-version.js';

const at = (path: string): URL => new URL(`../../../${path}`, import.meta.url);
const read = (path: string): string => readFileSync(at(path), 'utf8');

/** Settings of compose files, in which only environment variables have keys in upper case. */
const settingsOfCompose = (text: string): readonly string[] => matches(text, /^ +([A-Z][A-Z0-9_]*):/gm);

const settingsOfDockerfile = (text: string): readonly string[] =>
  matches(text, /^ENV .*$/gm).flatMap((line) => matches(line, /([A-Z][A-Z0-9_]*)=/g));

/** The text of the pattern's group, or of the whole match if it has none. */
const matches = (text: string, pattern: RegExp): readonly string[] =>
  [...text.matchAll(pattern)].map(([all, group = all]) => group);

/** The settings without which production mode does not start, and the admin keys, without which the admin API has no user. */
function neededInProduction(): readonly string[] {
  try {
    readConfig({ MODE: 'production' });
  } catch (error) {
    if (error instanceof InvalidConfiguration)
      return ['ADMIN_KEYS', 'LOGIN_JWKS', ...error.problems.map(({ setting }) => setting)];
    throw error;
  }
  return [];
}

type ComposedService = {
  image?: string;
  profiles?: readonly string[];
  environment?: Readonly<Record<string, string>>;
  volumes?: readonly string[];
  depends_on?: unknown;
  healthcheck?: { test: readonly string[] };
};

const services = (text: string) =>
  (parse(text, { merge: true }) as { services: Readonly<Record<string, ComposedService>> }).services;

const ofNode = /^NODE_ENV$/;
const ofEventStoreDb = /^EVENTSTORE_/;

describe('the files that deploy the service', () => {
  const files = [
    { path: 'docker-compose.yml', settings: settingsOfCompose, among: ['MODE', 'HOST', 'EVENTSTOREDB_URL'] },
    { path: 'docker-compose.production.yml', settings: settingsOfCompose, among: ['MODE', 'ROLES', 'MASTER_KEYS'] },
    { path: 'Dockerfile', settings: settingsOfDockerfile, among: ['DATA_DIR', 'PORT'] },
  ];
  const documented = read('docs/settings.md');
  const installing = read('docs/installing.md');
  const settingsRead = readSettings(allSettings, {}).names;

  for (const { path, settings, among } of files) {
    it(`name in ${path} only settings that are read and documented`, () => {
      const names = settings(read(path)).filter((name) => !ofNode.test(name) && !ofEventStoreDb.test(name));
      expect(names).to.include.members(among);
      expect(names.filter((name) => !settingsRead.has(name))).to.deep.equal([]);
      expect(names.filter((name) => !documented.includes(`\`${name}\``))).to.deep.equal([]);
    });
  }

  it('publish development mode on loopback only', () => {
    expect(matches(read('docker-compose.yml'), /^ +- (\S*\d:\d+)$/gm)).to.deep.equal([
      '127.0.0.1:3000:3000',
      '127.0.0.1:3001:3000',
      '127.0.0.1:3002:3000',
    ]);
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

  it('start the EventStoreDB whose behaviour the double has', () => {
    const images = ['docker-compose.yml', '.github/workflows/ci.yml'].flatMap((path) =>
      matches(read(path), /image: eventstore\/eventstore:(\S+)/g),
    );
    expect(images).to.deep.equal([serverVersions['24.10'].number, serverVersions['24.10'].number]);
    expect(installing).to.include(`starts EventStoreDB ${serverVersions['24.10'].number},`);
  });

  it('have two more instances of the service as a profile, on the same stores and with the same keys', () => {
    const { 'flow-hooks': first, ...others } = services(read('docker-compose.yml'));
    const further = Object.values(others).filter(({ image }) => image === 'flow-hooks');
    expect(further).to.have.length(2);
    for (const { profiles, environment, volumes, depends_on } of further) {
      expect(profiles).to.deep.equal(['instances']);
      expect({ environment, volumes }).to.deep.equal({ environment: first?.environment, volumes: first?.volumes });
      expect(depends_on, 'the first makes the keys').to.deep.equal({ 'flow-hooks': { condition: 'service_healthy' } });
    }
  });

  it('start in production the parts in the order in which they are replaced: projectors and dispatchers, then the API', () => {
    const { api, worker } = services(read('docker-compose.production.yml'));
    expect(worker?.depends_on).to.equal(undefined);
    expect(api?.depends_on).to.deep.equal({ worker: { condition: 'service_healthy' } });
    expect(worker?.healthcheck?.test.join(' '), 'ready, not only running').to.include('/readyz');
  });

  const ofProduction: readonly (readonly [what: string, text: () => string])[] = [
    ['docker-compose.production.yml', () => read('docker-compose.production.yml')],
    ['deploy/kubernetes.yaml', () => read('deploy/kubernetes.yaml')],
    [
      'deploy/flow-hooks.service with its environment',
      () => read('deploy/flow-hooks.service') + sectionOf('### systemd'),
    ],
    ['the block of the documentation', () => sectionOf('## Production')],
  ];
  for (const [what, text] of ofProduction) {
    it(`set in production all that it needs: ${what}`, () => {
      const needed = neededInProduction();
      expect(needed).to.include.members(['PUBLIC_URL', 'LOGIN_AUDIENCE', 'MASTER_KEYS', 'SIGNING_KEYS']);
      const set = matches(text(), /(?:^|[\s=])([A-Z][A-Z0-9_]*)(?:=|: )/gm);
      expect(needed.filter((name) => !set.includes(name))).to.deep.equal([]);
    });
  }

  /** The lines below a heading of docs/installing.md, until the next one. */
  function sectionOf(heading: string): string {
    const [, section = ''] = installing.split(`\n${heading}\n`);
    return section.split(/^##/m)[0] ?? '';
  }
});
