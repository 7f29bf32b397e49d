import { expect } from 'chai';
import { describeFailure, errorLine } from '../../src/cli/failure.js';
import { beginningOf, counted, printResult, printRows, printWarning } from '../../src/cli/output.js';
import { InvalidConfiguration } from '../../src/service/config/settings.js';

function printed(print: (output: { json: boolean; write: (line: string) => void }) => void): readonly string[] {
  const lines: string[] = [];
  print({ json: false, write: (line) => lines.push(line) });
  return lines;
}

describe('the output of a command', () => {
  it('is one line for each invalid setting, and one JSON value for all with --json', () => {
    const wrong = new Map([
      ['PORT', 'must be right'],
      ['MODE', 'must be right'],
    ]);
    const { line: message = '', code } = describeFailure(new InvalidConfiguration(wrong));
    expect(errorLine({ code, message }, false)).to.equal(
      'flow-hooks: PORT must be right\nflow-hooks: MODE must be right\n',
    );
    expect(errorLine({ code, message }, true)).to.equal(
      '{"error":"usage","message":"PORT must be right; MODE must be right"}\n',
    );
  });

  const rows = [{ name: 'a\tb\nc\u2028' }, { name: '\u001b[31mred\u202e' }];

  it('is one line for each row, with any values', () => {
    const lines = printed((output) => printRows(output, rows, { name: ({ name }) => name, x: () => 1 }, 'none'));
    expect(lines).to.eql(['NAME                   X', 'a\\tb\\nc\\u{2028}        1', '\\u001b[31mred\\u{202e}  1']);
  });

  it('is one line for a sentence', () => {
    expect(printed((output) => printResult(output, {}, 'the task\nof a\u0007'))).to.eql(['the task\\nof a\\u0007']);
    expect(printed((output) => printRows(output, [], {}, 'none of a\nb'))).to.eql(['none of a\\nb']);
  });

  it('has the joiners of scripts and emoji', () => {
    const text = 'می\u200cخواهم \u{1f468}\u200d\u{1f469}';
    expect(printed((output) => printResult(output, {}, text))).to.eql([text]);
  });

  it('is one line for a warning, beginning with the name of the program', () => {
    const written: string[] = [];
    printWarning('too\nlarge', { write: (text) => written.push(text) });
    expect(written).to.eql(['flow-hooks: too\\nlarge\n']);
  });

  it('cuts no character in half where it shows the beginning of a text', () => {
    expect(beginningOf('x😀😀', 2)).to.equal('x😀');
    expect(beginningOf('short', 80)).to.equal('short');
  });

  it('counts one as one', () => {
    expect([0, 1, 2].map((count) => counted(count, 'listener'))).to.eql(['0 listeners', '1 listener', '2 listeners']);
    expect([1, 2].map((count) => counted(count, 'is', 'are'))).to.eql(['1 is', '2 are']);
  });
});
