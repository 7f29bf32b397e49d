import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { temporaryDirectory } from '../temporary-directory.js';
import { closingLines, failureOf } from './report.js';
import { runFiles } from './run-files.js';
import { isFast, testFiles } from './test-files.js';

/** A file with these tests, in CommonJS. */
function fileWith(tests: string): string {
  const file = join(temporaryDirectory(), 'some.cjs');
  writeFileSync(file, `describe('some tests', () => { ${tests} });`);
  return file;
}
const passing = "it('passes', () => {});";

describe('running test files', () => {
  it('counts passed and failed tests, and prints the seconds of each file', async () => {
    const run = await runFiles([
      fileWith(passing),
      fileWith(`${passing} it('fails', () => { throw new Error('why'); });`),
    ]);
    expect(run).to.include({ passed: 2, failed: 1, skipped: 0 });
    expect(run.seconds.map(({ file }) => file)).to.have.length(2);
    expect(failureOf(run)).to.include('1 failing').and.to.include('Error: why');
    expect(closingLines([run, run]).split('\n').at(-1)).to.equal('4 passed, 2 failed');
  });

  for (const [what, tests] of [
    ['a process that ends in the middle of a test', "it('ends', () => { process.exit(0); });"],
    ['an error after the last test', "it('is late', () => { setImmediate(() => setImmediate(() => { throw 1; })); });"],
    ['a process that is killed', "it('is killed', () => { process.kill(process.pid, 'SIGKILL'); });"],
    ['a file that cannot be read', '}); nonsense ({'],
    ['a test that is skipped', "it.skip('is skipped', () => {});"],
    ['a test that keeps the others from running', "it.only('is alone', () => {});"],
  ] as const) {
    it(`counts ${what} as a failure`, async () => {
      const run = await runFiles([fileWith(`${passing} ${tests}`)]);
      expect(run.failed, run.report).to.be.at.least(1);
      expect(failureOf(run)).to.include('some.cjs');
    });
  }

  for (const [what, tests] of [
    ['a server', "require('node:net').createServer().listen(0, done);"],
    [
      'a server, also if the error is ignored',
      "try { require('node:http').createServer().listen(0); } catch {} done();",
    ],
    ['a socket that listens', "require('node:dgram').createSocket('udp4').bind(0, done);"],
    ['a process', "require('node:child_process').execFile('true', done);"],
    ['a process that it waits for', "require('node:child_process').execFileSync('true'); done();"],
  ] as const) {
    it(`fails a fast test that starts ${what}`, async () => {
      const file = fileWith(`it('starts it', (done) => { ${tests} });`);
      expect(await runFiles([file])).to.include({ passed: 1, failed: 0 });
      const guarded = await runFiles([file], { guarded: true });
      expect(guarded.failed, guarded.report).to.be.at.least(1);
      expect(failureOf(guarded)).to.include('fast test');
    });
  }

  it('classifies as fast the files that cannot start a process or a server', () => {
    const files = testFiles();
    const named = (part: string) => files.filter((file) => file.includes(part));
    expect(named('subscribe-listener.test').map(isFast)).to.deep.equal([true, true]);
    expect(named('run/run-files.test').map(isFast)).to.deep.equal([false]);
    expect(named('journeys/').filter(isFast)).to.deep.equal([]);
    expect(named('listeners/routes.test').some(isFast)).to.equal(false);
  });
});
