import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { startProcess } from '../support/process.js';
import { needs } from '../support/run/programs.js';
import { originOf } from '../support/service/service.js';
import { temporaryDirectory } from '../support/temporary-directory.js';
import { until } from '../support/until.js';

const project = fileURLToPath(new URL('../../..', import.meta.url));
const maxAtRestMb = 150;
const settleMs = 6_000; // followers drop earlier builds after 5 s

const residentMb = (pid: number): number =>
  (Number(/^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) * 1_024) / 1e6;

const fileOf = (name: string): string => readFileSync(join(project, name), 'utf8');

/** The arguments of Node in the script `start`. */
function argumentsOfNpmStart(): readonly string[] {
  const { scripts } = JSON.parse(fileOf('package.json')) as { scripts: { start: string } };
  return scripts.start.split(' ').slice(1);
}

/** The arguments of Node in the entry point of the Dockerfile. */
function argumentsOfImage(): readonly string[] {
  const entryPoint = JSON.parse(/^ENTRYPOINT (.*)$/m.exec(fileOf('Dockerfile'))?.[1] ?? '[]') as readonly string[];
  return entryPoint.slice(entryPoint.indexOf('node') + 1);
}

describe('the memory of a service at rest', function () {
  this.timeout(120_000);
  if (!needs('linux')) return;

  for (const [what, args] of [
    ['npm start', argumentsOfNpmStart()],
    ['the image', argumentsOfImage()],
    ['the package and systemd', ['bin/flow-hooks.js', 'serve']],
  ] as const) {
    it(`is at most ${maxAtRestMb} MB as ${what} starts it, in the process that was started`, async () => {
      const env = { PATH: process.env.PATH, PORT: '0', DATA_DIR: temporaryDirectory() }; // compiled code that is kept takes memory
      const service = startProcess(process.execPath, args, { cwd: project, env });
      try {
        const origin = await originOf(service);
        await until(async () => (await fetch(`${origin}/readyz`)).ok, 'its readiness', { everyMs: 100 });
        await pause(settleMs);
        const resident = () => residentMb(service.pid);
        await until(() => resident() < maxAtRestMb, 'less memory').catch(() => undefined);
        expect(resident()).to.be.below(maxAtRestMb);
      } finally {
        await service.stop();
      }
      expect(await service.stop()).to.deep.equal({ code: 0, signal: null });
    });
  }
});
