import { expect } from 'chai';
import pino from 'pino';
import { warnOfLargeEvents } from '../../src/flows/publishing/publish-events.js';

describe('publishing large flow events', () => {
  it('warns once for each type of an organisation', () => {
    const warned: unknown[] = [];
    const log = pino({ level: 'warn' }, { write: (line: string) => warned.push(JSON.parse(line)) });
    const warn = warnOfLargeEvents();
    const large = { orgId: 'acme', type: 'flow.completed', bytes: 20_001 };
    warn({ ...large, bytes: 20_000 }, log);
    expect(warned).to.have.length(0);
    warn(large, log);
    warn(large, log);
    warn({ ...large, type: 'flow.failed' }, log);
    warn({ ...large, orgId: 'globex' }, log);
    expect(warned).to.have.length(3);
    expect(warned[0]).to.include(large);
  });

  it('remembers a limited number of types, and warns again after that', () => {
    let warned = 0;
    const log = pino({ level: 'warn' }, { write: () => (warned += 1) });
    const warn = warnOfLargeEvents();
    for (let n = 0; n <= 1_000; n += 1) warn({ orgId: 'acme', type: `flow.${n}`, bytes: 30_000 }, log);
    warn({ orgId: 'acme', type: 'flow.0', bytes: 30_000 }, log);
    expect(warned).to.equal(1_002);
  });
});
