import { expect } from 'chai';
import { pino } from 'pino';
import { StoreUnavailable } from '../../../src/kernel/store-errors.js';
import { viewErrors } from '../../../src/views/following/view-errors.js';
import type { ReadModel } from '../../../src/views/read-model.js';
import { until } from '../../support/until.js';
import { counters } from '../counters.js';
import { viewBench } from '../view-bench.js';

describe('recording the error that stops a view', () => {
  let bench: ReturnType<typeof viewBench>;
  let failures: number;

  beforeEach(() => {
    bench = viewBench();
    failures = 0;
  });
  afterEach(() => bench.close());

  function opened() {
    const readModel: ReadModel = {
      ...bench.readModel,
      async recordError(...note) {
        failures -= 1;
        if (failures >= 0) throw new StoreUnavailable('gone for a moment');
        await bench.readModel.recordError(...note);
      },
    };
    return viewErrors({ readModel, projection: counters(), log: pino({ level: 'silent' }), term: 1n, retryMs: 5 });
  }
  const noted = async () => (await bench.readModel.viewError(counters()))?.message;

  it('says that all is well again until that is noted, also where nothing more happens', async () => {
    const notes = opened();
    notes.write({ message: 'cannot', position: undefined });
    await until(async () => (await noted()) === 'cannot', 'the error');
    failures = 3;
    notes.clear();
    await until(async () => (await noted()) === undefined, 'its end');
    await notes.end();
  });

  it('repeats nothing that has been overtaken', async () => {
    const notes = opened();
    failures = 1;
    notes.write({ message: 'first', position: undefined });
    notes.write({ message: 'second', position: undefined });
    await notes.end();
    expect(await noted()).to.equal('second');
    expect(failures).to.equal(-1);
  });

  it('leaves it at one try when the view is followed no more', async () => {
    const notes = opened();
    failures = 1;
    notes.write({ message: 'cannot', position: undefined });
    await notes.end();
    expect([await noted(), failures]).to.deep.equal([undefined, 0]);
  });
});
