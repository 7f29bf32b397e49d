import { expect } from 'chai';
import { progressOf } from '../../src/cli/progress.js';

describe('the progress of a command', () => {
  function shown({ isTTY, json }: { isTTY: boolean; json: boolean }) {
    const lines: string[] = [];
    const written: string[] = [];
    let now = 0;
    const progress = progressOf(
      { json, write: (line) => lines.push(line) },
      { terminal: { isTTY, write: (text) => written.push(text) }, clock: () => now },
    );
    return {
      ...progress,
      lines,
      written,
      wait: (ms: number) => {
        now += ms;
      },
    };
  }

  it('is a bar on a terminal, with the rate and the time left, drawn no more often than is seen', () => {
    const { report, end, wait, lines, written } = shown({ isTTY: true, json: false });
    report('copying events', 0, 10_000);
    for (let done = 1; done <= 500; done += 1) report('copying events', done, 10_000);
    wait(1_000);
    report('copying events', 2_500, 10_000);
    wait(3_000);
    report('copying events', 10_000, 10_000);
    end();
    expect(written).to.eql([
      '\rcopying events    ░░░░░░░░░░░░░░░░░░░░    0 %  0 of 10,000\x1b[K',
      '\rcopying events    █████░░░░░░░░░░░░░░░   25 %  2,500 of 10,000  2,500/s  3 s left\x1b[K',
      '\rcopying events    ████████████████████  100 %  10,000 of 10,000  2,500/s\x1b[K',
      '\n',
    ]);
    expect(lines).to.eql([]);
  });

  it('has a line for each phase, and counts each from its own beginning', () => {
    const { report, end, wait, written } = shown({ isTTY: true, json: false });
    report('comparing', 5, 5);
    report('copying', 100, 200);
    wait(1_000);
    report('copying', 150, 200);
    end();
    end();
    expect(written[1]).to.equal('\n');
    expect(written[3]).to.match(/150 of 200 {2}50\/s {2}1 s left/);
    expect(written.filter((text) => text === '\n')).to.have.length(2);
  });

  it('is a line of JSON each second, and at the end of a phase, where JSON is printed', () => {
    const { report, end, wait, lines, written } = shown({ isTTY: true, json: true });
    report('copying', 0, 10);
    report('copying', 1, 10);
    wait(2_000);
    report('copying', 4, 10);
    report('copying', 10, 10);
    end();
    expect(lines.map((line) => JSON.parse(line))).to.eql([
      { progress: 'copying', done: 0, total: 10 },
      { progress: 'copying', done: 4, total: 10, perSecond: 2, secondsLeft: 3 },
      { progress: 'copying', done: 10, total: 10, perSecond: 5, secondsLeft: 0 },
    ]);
    expect(written).to.eql([]);
  });

  it('is not shown without a terminal and without JSON', () => {
    const { report, end, lines, written } = shown({ isTTY: false, json: false });
    report('copying', 0, 10);
    end();
    expect([...lines, ...written]).to.eql([]);
  });
});
