import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect } from 'chai';
import fc from 'fast-check';
import { installTypescriptClient } from '../../support/packages/typescript-client.js';

type Item = { json: string; bytes: number };
type Limits = { maxEvents: number; maxBytes: number };

/** Pure parts of the package, which it does not export. */
type Rules = {
  splitBatches: (items: readonly Item[], limits: Limits) => readonly (readonly Item[])[];
  fitsAlone: (bytes: number, limits: Limits) => boolean;
  retryDelayMs: (failed: number, retryAfterMs: number | undefined, random?: number) => number;
  retryAfterMs: (headers: Headers, now?: number) => number | undefined;
};

describe('rules of the TypeScript client', function () {
  this.timeout(60_000);
  let rules: Rules;

  before(async () => {
    const { packageFolder } = await installTypescriptClient();
    const load = async (name: string) =>
      (await import(pathToFileURL(join(packageFolder, 'dist', name)).href)) as Partial<Rules>;
    rules = { ...(await load('split-batches.js')), ...(await load('retry-delay.js')) } as Rules;
  });

  const itemOf = (value: unknown): Item => {
    const json = JSON.stringify(value);
    return { json, bytes: Buffer.byteLength(json) };
  };
  const bodyOf = (batch: readonly Item[]) => `[${batch.map(({ json }) => json).join(',')}]`;

  it('split any events into as few requests as their order allows, each within both limits', () => {
    const limits = fc.record({
      maxEvents: fc.integer({ min: 1, max: 8 }),
      maxBytes: fc.integer({ min: 20, max: 120 }),
    });
    const events = fc.array(fc.string({ unit: 'binary', maxLength: 30 }), { maxLength: 40 });
    fc.assert(
      fc.property(limits, events, (limit, values) => {
        const items = values.map(itemOf).filter(({ bytes }) => rules.fitsAlone(bytes, limit));
        const batches = rules.splitBatches(items, limit);
        expect(batches.flat()).to.deep.equal(items);
        const fits = (batch: readonly Item[]) =>
          batch.length <= limit.maxEvents && Buffer.byteLength(bodyOf(batch)) <= limit.maxBytes;
        for (const [index, batch] of batches.entries()) {
          expect(batch.length).to.be.at.least(1);
          expect(fits(batch)).to.equal(true);
          const [next] = batches[index + 1] ?? [];
          if (next) expect(fits([...batch, next]), 'the next event would have fitted').to.equal(false);
        }
      }),
    );
  });

  it('know exactly which event fits into its own request', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 30 }), fc.integer({ min: 1, max: 100 }), (value, maxBytes) => {
        const item = itemOf(value);
        expect(rules.fitsAlone(item.bytes, { maxEvents: 1, maxBytes })).to.equal(
          Buffer.byteLength(bodyOf([item])) <= maxBytes,
        );
      }),
    );
  });

  it('wait exponentially longer up to a minute, half of it at random, and never less than the service asks for', () => {
    const random = fc.double({ min: 0, max: 1, noNaN: true });
    const asked = fc.option(fc.integer({ min: 0, max: 1_000_000 }), { nil: undefined });
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 2_000 }), asked, random, (failed, askedMs, chance) => {
        const backoffMs = Math.min(1_000 * 2 ** (failed - 1), 60_000);
        const delayMs = rules.retryDelayMs(failed, askedMs, chance);
        expect(delayMs).to.be.at.least(Math.max(backoffMs / 2, askedMs ?? 0));
        expect(delayMs).to.be.at.most(Math.max(backoffMs, (askedMs ?? 0) + 1_000));
      }),
    );
    expect(rules.retryDelayMs(1, undefined, 0)).to.equal(500);
    expect(rules.retryDelayMs(1, undefined, 1)).to.equal(1_000);
  });

  it('read Retry-After in seconds or as a date, and ignore anything else', () => {
    const read = (value: string, date?: string) =>
      rules.retryAfterMs(new Headers({ 'retry-after': value, ...(date !== undefined && { date }) }), 1_000_000);
    const seconds = fc.integer({ min: 0, max: 4_102_444_800 });
    fc.assert(
      fc.property(seconds, seconds, (sent, until) => {
        expect(read(String(until))).to.equal(until * 1_000);
        const [sentAt, untilAt] = [sent, until].map((each) => new Date(each * 1_000).toUTCString());
        expect(read(untilAt ?? '', sentAt)).to.equal(Math.max(0, until - sent) * 1_000);
        expect(read(untilAt ?? '')).to.equal(Math.max(0, until * 1_000 - 1_000_000));
      }),
    );
    for (const value of ['', '-1', '1.5', '1e3', '0x10', 'soon', 'Soon', '2026-01-31', '12 s'])
      expect(read(value), value).to.equal(undefined);
    expect(rules.retryAfterMs(new Headers())).to.equal(undefined);
  });
});
