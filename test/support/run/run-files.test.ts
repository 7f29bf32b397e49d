import { writeFileSync } from 'node:fs';
import { createConnection } from 'node:net';
import { join } from 'node:path';
import { expect } from 'chai';
import { temporaryDirectory } from '../temporary-directory.js';
import { until } from '../until.js';
import { runFiles } from './run-files.js';
import { batches, suiteOf, testFiles } from './suites.js';

/** A file with these tests, in CommonJS. */
function fileWith(tests: string, name = 'some.cjs'): string {
  const file = join(temporaryDirectory(), name);
  writeFileSync(file, `describe('some tests', () => { ${tests} });`);
  return file;
}
const passing = "it('passes', () => {});";

describe('running test files', () => {
  it('counts passed and failed tests, with the reason and the difference, and measures each file', async () => {
    const failing = fileWith(`${passing} it('fails', () => require('node:assert').deepEqual({ a: 1 }, { a: 2 }));`);
    const { passed, failures, seconds } = await runFiles([fileWith(passing), failing]);
    expect(passed).to.equal(2);
    expect(failures).to.have.length(1);
    expect(failures[0]).to.include({ file: failing, title: 'some tests fails' });
    expect(failures[0]?.why).to.include('AssertionError').and.to.include('+ expected');
    expect([...seconds.keys()]).to.have.length(2);
  });

  it('measures all suites of a file', async () => {
    const takes200Ms = "it('waits', (done) => setTimeout(done, 200));";
    const file = fileWith(`${takes200Ms} }); describe('others', () => { ${passing}`);
    const { passed, seconds } = await runFiles([file]);
    expect(passed).to.equal(2);
    expect(seconds.get(file)).to.be.at.least(0.19); // a timer may be 1 ms early
  });

  it('counts as passed what prints totals and errors on both outputs, also at its end', async () => {
    const noise = "process.once('exit', () => { console.error('1 failing'); console.log('0 passed, 9 failed'); });";
    const { passed, failures, printed } = await runFiles([fileWith(`${noise} ${passing}`)]);
    expect({ passed, failures }).to.deep.equal({ passed: 1, failures: [] });
    expect(printed).to.include('1 failing').and.to.include('9 failed');
  });

  for (const [what, tests, title] of [
    ['a process that ends in the middle of a test', "it('ends', () => { process.exit(0); });", 'some tests ends'],
    [
      'a process that is killed',
      "it('is killed', () => process.kill(process.pid, 'SIGKILL'));",
      'some tests is killed',
    ],
    [
      'an error after the last test',
      "it('is late', () => { setImmediate(() => { throw 1; }); });",
      'some tests is late',
    ],
    ['a file that cannot be read', '}); nonsense ({', 'loading the files'],
    ['a test that is skipped', "it.skip('is skipped', () => {});", 'some tests is skipped'],
    ['a test that keeps the others from running', "it.only('is alone', () => {});", undefined],
    ['a preparation that fails', "before('prepare', () => { throw new Error(); });", 'prepare'],
  ] as const) {
    it(`counts ${what} as a failure, and names it`, async () => {
      const { failures } = await runFiles([fileWith(`${passing} ${tests}`)]);
      expect(failures).to.have.length.at.least(1);
      if (title) expect(failures[0]?.title).to.include(title);
    });
  }

  it('ends a process that reports nothing, with all that it started, and names the test that it was in', async () => {
    const server = "require('node:net').createServer().listen(0, function () { console.log(this.address().port); })";
    const start = `require('node:child_process').spawn(process.execPath, ['-e', ${JSON.stringify(server)}])`;
    const starts = `it('starts', (done) => ${start}.stdout.once('data', (port) => { console.log(String(port)); done(); }));`;
    const wait = 'Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)'; // as a loop does, at no cost
    const blocks = `it('blocks', () => { ${wait}; }).timeout(1_000);`;
    const { passed, failures, printed } = await runFiles([fileWith(`${starts} ${blocks}`)], { silenceMs: 10_000 });
    expect({ passed, title: failures[0]?.title }, printed).to.deep.equal({ passed: 1, title: 'some tests blocks' });
    expect(failures[0]?.why).to.equal('reported nothing for 10 s');
    const isGone = () =>
      new Promise<boolean>((resolve) => {
        const socket = createConnection(Number(printed.trim()), '127.0.0.1', () => resolve(false));
        socket.on('error', () => resolve(true)).unref();
      });
    await until(isGone, 'the end of the started process');
  });

  it('finds the suite of a file in its name, and runs each file once', () => {
    expect(suiteOf('test/a/b.test.ts')).to.equal('core');
    expect(suiteOf('test/a/b.properties.test.ts')).to.equal('core');
    expect(suiteOf('test/a/b.servers.test.tsx')).to.equal('servers');
    const files = batches(testFiles()).flat();
    expect(files).to.have.length.above(400);
    expect(new Set(files).size).to.equal(testFiles().length).and.to.equal(files.length);
  });
});
