import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { importLines } from '../../src/cli/import/import-lines.js';
import { StoreUnavailable } from '../../src/kernel/store-errors.js';
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
      imported: 2,
      alreadyThere: 0,
      refused: 0,
    });
  });
});
