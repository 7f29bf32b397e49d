import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { documentedBlocks } from '../documented-blocks.js';
import { installNpmPackages } from '../install-npm-packages.js';
import { copyJars } from '../java/copy-jars.js';
import { contentKey, madeOnce } from '../made-once.js';
import { installPythonPackages } from '../python/install-python-packages.js';

/** Go compiles its own standard library at the first build on a machine. */
const buildLimitMs = 300_000;
const page = 'docs/receive.md';
const sources = resolve('test/support/receivers'); // compiled tests are in `dist`

const expressVersion = '5.3.0';

/** Start of a receiver of docs/receive.md. */
export type ReceiverProgram = {
  program: string;
  args: readonly string[];
  environment?: Readonly<Record<string, string>>;
};

/** Languages of the blocks in the page. */
type Language = 'js' | 'python' | 'go' | 'java';

/**
 * The receivers of docs/receive.md by language, each with a function that installs its library, in the pinned version, and compiles it
 * if need be. The function throws an error that says what to install if a program is missing.
 */
export const receiverPrograms: Readonly<Record<Language, () => ReceiverProgram>> = {
  /** Node finds `standardwebhooks` in node_modules above the cache. */
  js: () => {
    const packages = installNpmPackages(`express-${expressVersion}`, [`express@${expressVersion}`]);
    return { program: process.execPath, args: [written('js', 'receiver.mjs', packages)] };
  },

  python: () => ({
    program: 'python3',
    args: [written('python', 'receiver.py')],
    environment: { PYTHONPATH: installPythonPackages() },
  }),

  go: () => {
    if (spawnSync('go', ['version']).error) throw new Error('no go on the PATH: install Go 1.21 or later');
    const files = [...['go.mod', 'go.sum'].map((name) => join(sources, 'go', name)), written('go', 'main.go')];
    const folder = madeOnce(`receivers/${contentKey(files)}`, (made) => {
      for (const file of files) copyFileSync(file, join(made, basename(file)));
      execFileSync('go', ['build', '-mod=readonly', '-o', 'receiver', '.'], { cwd: made, timeout: buildLimitMs });
    });
    return { program: join(folder, 'receiver'), args: [] };
  },

  java: () => {
    const { stdout } = spawnSync('java', ['--list-modules'], { encoding: 'utf8' });
    if (!stdout?.includes('jdk.compiler@')) throw new Error('no JDK on the PATH: install JDK 17 or later');
    const pom = join(sources, 'pom.xml');
    const jars = madeOnce(`receivers/${contentKey([pom])}`, (folder) => {
      copyJars(pom, folder);
      requireDigest(join(folder, 'standardwebhooks-1.2.0.jar'), standardWebhooksJar);
    });
    const options = ['-XX:+UseSerialGC', '-XX:TieredStopAtLevel=1']; // ready sooner, beside other tests
    return { program: 'java', args: [...options, '-cp', join(jars, '*'), written('java', 'Receiver.java')] };
  },
};

/** SHA-256 of `com.standardwebhooks:standardwebhooks:1.2.0`: Maven compares jars with no digest of ours. */
const standardWebhooksJar = 'ba63bc64feb5866750ca72770108fbcbbed28862bc1cc577db7bd3ef9d2d007b';

function requireDigest(file: string, expected: string): void {
  const digest = createHash('sha256').update(readFileSync(file)).digest('hex');
  if (digest !== expected) throw new Error(`${file} has the SHA-256 ${digest} instead of ${expected}`);
}

/** The block of the page in a file of this name, in a folder of its language, or with its packages. */
function written(
  language: Language,
  name: string,
  folder = resolve('node_modules/.cache/receivers', language),
): string {
  const [block, ...others] = documentedBlocks(page, language);
  if (block === undefined || others.length > 0) throw new Error(`${page} has not one receiver in ${language}`);
  mkdirSync(folder, { recursive: true });
  const file = join(folder, name);
  writeFileSync(file, block);
  return file;
}
