const { writeSync } = require('node:fs');
const { reporters } = require('mocha');

const why = (error) => {
  const difference = reporters.Base.showDiff(error) ? reporters.Base.generateDiff(error.actual, error.expected) : '';
  return `${error?.stack ?? error}${difference}${error?.cause ? `\ncaused by ${why(error.cause)}` : ''}`;
};
/** At once, since a process may end in its next line. */
const send = (report) => writeSync(3, `${JSON.stringify(report)}\n`);

/** Writes what happens to a channel of its own, a line of JSON for each event: what tests print is never read. */
module.exports = class Reporter extends reporters.Base {
  constructor(runner, options) {
    super(runner, options);
    const sendEach = (kind) => (each, error) =>
      send({ kind, file: each.file, title: each.fullTitle(), limitMs: each.timeout(), why: error && why(error) });
    for (const kind of ['hook', 'test', 'pass', 'fail']) runner.on(kind, sendEach(kind));
    runner.on('suite end', ({ parent, file }) => parent?.root && send({ kind: 'suite end', file }));
    runner.once('end', () => send({ kind: 'end' }));
  }
};
