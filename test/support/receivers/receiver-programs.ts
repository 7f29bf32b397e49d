import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { documentedBlocks } from '../documented-blocks.js';
import { installNpmPackages } from '../install-npm-packages.js';
import { copyJars } from '../java/copy-jars.js';
import { madeOnce } from '../made-once.js';
import { installPythonPackages } from '../python/install-python-packages.js';

const run = promisify(execFile);
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
export const receiverPrograms: Readonly<Record<Language, () => Promise<ReceiverProgram>>> = {
  /** Node finds `standardwebhooks` in node_modules above the cache. */
  js: async () => {
    const packages = installNpmPackages(`express-${expressVersion}`, [`express@${expressVersion}`]);
    return { program: process.execPath, args: [await written('js', 'receiver.mjs', packages)] };
  },

  python: async () => ({
    program: 'python3',
    args: [await written('python', 'receiver.py')],
    environment: { PYTHONPATH: installPythonPackages() },
  }),

  go: async () => {
    const module = ['go.mod', 'go.sum'].map((name) => join(sources, 'go', name));
    const source = await written('go', 'main.go');
    const folder = await madeOnce('receivers', [...module, source], async (made) => {
      for (const file of [...module, source]) await copyFile(file, join(made, file.slice(file.lastIndexOf('/') + 1)));
      await run('go', ['build', '-mod=readonly', '-o', 'receiver', '.'], { cwd: made, timeout: buildLimitMs });
    }).catch((error: NodeJS.ErrnoException) => {
      throw error.code === 'ENOENT' ? new Error('no go on the PATH: install Go 1.21 or later') : error;
    });
    return { program: join(folder, 'receiver'), args: [] };
  },

  java: async () => {
    const { stdout } = await run('java', ['--list-modules']).catch(() => ({ stdout: '' }));
    if (!stdout.includes('jdk.compiler@')) throw new Error('no JDK on the PATH: install JDK 17 or later');
    const pom = join(sources, 'pom.xml');
    const jars = await madeOnce('receivers', [pom], async (folder) => {
      await copyJars(pom, folder);
      await requireDigest(join(folder, 'standardwebhooks-1.2.0.jar'), standardWebhooksJar);
    });
    const options = ['-XX:+UseSerialGC', '-XX:TieredStopAtLevel=1']; // ready sooner, beside other tests
    return { program: 'java', args: [...options, '-cp', join(jars, '*'), await written('java', 'Receiver.java')] };
  },
};

/** SHA-256 of `com.standardwebhooks:standardwebhooks:1.2.0`: Maven compares jars with no digest of ours. */
const standardWebhooksJar = 'ba63bc64feb5866750ca72770108fbcbbed28862bc1cc577db7bd3ef9d2d007b';

async function requireDigest(file: string, expected: string): Promise<void> {
  const digest = createHash('sha256')
    .update(await readFile(file))
    .digest('hex');
  if (digest !== expected) throw new Error(`${file} has the SHA-256 ${digest} instead of ${expected}`);
}

/** The block of the page in a file of this name, in a folder of its language, or with its packages. */
async function written(
  language: Language,
  name: string,
  folder = resolve('node_modules/.cache/receivers', language),
): Promise<string> {
  const [block, ...others] = documentedBlocks(page, language);
  if (block === undefined || others.length > 0) throw new Error(`${page} has not one receiver in ${language}`);
  await mkdir(folder, { recursive: true });
  const file = join(folder, name);
  await writeFile(file, block);
  return file;
}
