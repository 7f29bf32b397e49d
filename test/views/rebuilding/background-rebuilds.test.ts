import { expect } from 'chai';
import { pino } from 'pino';
import { RebuildUnderWay } from '../../../src/views/errors.js';
import type { ReadModel } from '../../../src/views/read-model.js';
import { backgroundRebuilds } from '../../../src/views/rebuilding/background-rebuilds.js';
import { rejection } from '../../support/rejection.js';
import { until } from '../../support/until.js';
import { counters, setCounter } from '../counters.js';
import { viewBench } from '../view-bench.js';

describe('rebuilding a view while the service serves', () => {
  let bench: ReturnType<typeof viewBench>;

  beforeEach(() => {
    bench = viewBench();
  });
  afterEach(() => bench.close());

  it('reports the end of the last begun rebuild, and ignores one that could not begin', async () => {
    const { store } = bench;
    await setCounter(store, 'a', 1);
    let finish = (): void => undefined;
    const finishing = new Promise<void>((resolve) => {
      finish = resolve;
    });
    const readModel: ReadModel = {
      ...bench.readModel,
      async open(...args) {
        const build = await bench.readModel.open(...args);
        return { ...build, finish: () => finishing.then(build.finish) };
      },
    };
    const logged: string[] = [];
    const log = pino({}, { write: (line) => void logged.push(JSON.parse(line).msg) });
    const rebuilds = backgroundRebuilds({ store, readModel, log });
    const failing = counters({
      onEvent: () => {
        throw new Error('cannot count that');
      },
    });
    await rebuilds.start(failing, {});
    await until(() => rebuilds.last(counters()).failure !== undefined, 'the failure');
    expect(rebuilds.last(counters()).failure).to.match(/cannot count that/);

    await rebuilds.start(counters(), {});
    const refused = await rejection(rebuilds.start(counters(), {})).finally(finish);
    expect(refused).to.be.instanceOf(RebuildUnderWay);
    expect(rebuilds.last(counters()).failure).to.equal(undefined);
    await until(() => logged.length === 2, 'the rebuild');
    expect(logged).to.deep.equal(['the view could not be rebuilt', 'the view has been rebuilt']);
    await rebuilds.stop();
  });
});
