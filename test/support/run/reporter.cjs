const { writeSync } = require('node:fs');
const { reporters } = require('mocha');

const channel = 3;

/** Writes what happens to a channel of its own, a line of JSON for each event: what tests print is never read. */
module.exports = class Reporter extends reporters.Base {
  constructor(runner, options) {
    super(runner, options);
    const why = (error) => {
      const difference = reporters.Base.showDiff(error)
        ? reporters.Base.generateDiff(error.actual, error.expected)
        : '';
      return `${error?.stack ?? error}${difference}${error?.cause ? `\ncaused by ${why(error.cause)}` : ''}`;
    };
    const send = (report) => writeSync(channel, `${JSON.stringify(report)}\n`); // at once: a process may end in the next line
    for (const kind of ['hook', 'test', 'pass', 'fail'])
      runner.on(kind, (each, error) =>
        send({
          kind,
          file: each.file,
          title: each.fullTitle(),
          limitMs: kind === 'pass' ? 0 : each.timeout(),
          why: error && why(error),
        }),
      );
    runner.on('suite end', ({ parent, file }) => parent?.root && send({ kind: 'suite end', file }));
    runner.once('end', () => send({ kind: 'end' }));
  }
};
