import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import fc from 'fast-check';
import { importLines } from '../../src/cli/import/import-lines.js';
import { readLines } from '../../src/cli/import/read-lines.js';
import { InvalidRequest } from '../../src/kernel/domain-error.js';
import { StoreUnavailable } from '../../src/kernel/store-errors.js';
import { rejection } from '../support/rejection.js';
import { temporaryDirectory } from '../support/temporary-directory.js';

describe('an import of lines', () => {
  it('tries a line again where the store did not answer, and counts it once', async () => {
    const file = join(temporaryDirectory(), 'lines.ndjson');
    writeFileSync(file, '{"n":1}\n{"n":2}\n');
    const printed: string[] = [];
    const tried: unknown[] = [];
    const output = { json: true, write: (line: string) => void printed.push(line) };
    await importLines(file, { output }, async (line) => {
      tried.push(line);
      if (tried.length === 1) throw new StoreUnavailable('an election');
      return true;
    });
    expect(tried).to.deep.equal([{ n: 1 }, { n: 2 }, { n: 1 }]);
    expect(JSON.parse(printed.at(-1) ?? '')).to.deep.equal({
      dryRun: false,
      lines: 2,
      blank: 0,
      imported: 2,
      alreadyThere: 0,
      refused: 0,
    });
  });

  /** Output and imported lines; a line with `refused` is refused after as many milliseconds. */
  async function importing(content: Buffer, json = true) {
    const file = join(temporaryDirectory(), 'lines.ndjson');
    writeFileSync(file, content);
    const printed: string[] = [];
    const imported: unknown[] = [];
    const output = { json, write: (line: string) => void printed.push(line) };
    const failure = await rejection(
      importLines(file, { output }, async (line) => {
        const { refused } = line as { refused?: number };
        if (refused !== undefined) {
          await pause(refused);
          throw new InvalidRequest(`after ${refused} ms`);
        }
        imported.push(line);
        return true;
      }),
    ).catch(() => undefined);
    return { printed, imported, failure, report: JSON.parse(json ? (printed.at(-1) ?? '') : '{}') };
  }

  it('refuses lines that are not UTF-8: Müller and Möller in Latin-1 are not one organisation', async () => {
    const latin1 = Buffer.from('{"orgId":"Müller"}\n{"orgId":"Möller"}\n', 'latin1');
    const { imported, printed, report } = await importing(Buffer.concat([Buffer.from('{"orgId":"Müller"}\n'), latin1]));
    expect(imported).to.deep.equal([{ orgId: 'Müller' }]);
    expect(report).to.include({ lines: 3, imported: 1, refused: 2 });
    expect(JSON.parse(printed[0] ?? '')).to.deep.equal({
      line: 2,
      error: 'invalid_request',
      message: 'the line is not UTF-8: save the file in this encoding',
    });
  });

  it('refuses a line of more than a mebibyte without keeping it, and goes on', async () => {
    const huge = Buffer.from(`{"a":"${'x'.repeat(3 * 1_048_576)}"}\n`);
    const { imported, printed, report } = await importing(Buffer.concat([huge, Buffer.from('{"b":1}')]));
    expect(imported).to.deep.equal([{ b: 1 }]);
    expect(report).to.include({ lines: 2, refused: 1 });
    expect(printed[0]).to.include('the line has more than 1048576 bytes');
  });

  it('counts blank lines, and takes a byte order mark and the line ends of Windows', async () => {
    const { imported, report } = await importing(Buffer.from('\ufeff{"a":1}\r\n\r\n  \n{"b":1}\r\n'));
    expect(imported).to.deep.equal([{ a: 1 }, { b: 1 }]);
    expect(report).to.include({ lines: 4, blank: 2, imported: 2, refused: 0 });
    const { printed } = await importing(Buffer.from('{"a":1}\n\n'), false);
    expect(printed.at(-1)).to.equal('2 lines: 1 imported, 0 there already, 0 refused, 1 blank');
  });

  it('prints refused lines in their order, however long each takes', async () => {
    const { printed } = await importing(Buffer.from('{"refused":30}\n{"refused":1}\n{"a":1}\n{"refused":10}\n'));
    expect(printed.slice(0, -1).map((each) => JSON.parse(each).line)).to.deep.equal([1, 2, 4]);
  });

  it('reads the lines of any text as they are, wherever the file is cut into pieces', () =>
    fc.assert(
      fc.asyncProperty(fc.array(fc.string({ unit: 'grapheme' })), fc.nat({ max: 70_000 }), async (texts, before) => {
        const sent = ['x'.repeat(before), ...texts.map((text) => JSON.stringify(text))];
        const file = join(temporaryDirectory(), 'lines.ndjson');
        writeFileSync(file, `${sent.join('\n')}\n`);
        const read: unknown[] = [];
        for await (const line of readLines(file)) read.push(line);
        expect(read).to.deep.equal(sent.map((text, index) => ({ number: index + 1, text })));
      }),
      { numRuns: 50 },
    ));
});
