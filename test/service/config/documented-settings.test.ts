import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { settings } from '../../../src/service/config/config.js';
import { readSettings } from '../../../src/service/config/read-settings.js';

const [table = ''] = readFileSync(new URL('../../../../docs/settings.md', import.meta.url), 'utf8').split('\n## ');

/** The names and the defaults of each row. */
const rows = [...table.matchAll(/^\| (`[A-Z][A-Z0-9_]*`[^|]*) \| ([^|]*)\|/gm)].map(
  ([, names = '', defaults = '']) => ({
    names: [...names.matchAll(/`([A-Z][A-Z0-9_]*)`/g)].map(([, name = '']) => name),
    defaults: defaults.trim(),
  }),
);

const { names } = readSettings(settings, {});

/** Node reads it, and has no text for its default. */
const ofNode = 'NODE_TLS_REJECT_UNAUTHORIZED';

type Default = { name: string; mode: 'development' | 'production'; text: string };

/** The defaults that are texts: `a`; `a` (`b` in production), `c`; `a` each; `a`; in development `b`. */
function defaultsOf({ names, defaults }: (typeof rows)[number]): readonly Default[] {
  const parts = defaults.split(/, (?=`)/);
  return names.flatMap((name, index) => {
    const part = parts[index] ?? (defaults.endsWith('each') ? defaults : '');
    const text = /^`([^`]+)`/.exec(part)?.[1];
    const inProduction = /`([^`]+)` in production/.exec(part)?.[1];
    const inDevelopment = /\(`([^`]+)` in development|in development `([^`]+)`/.exec(part)?.slice(1).find(Boolean);
    if (text === undefined || name === ofNode) return [];
    const defaultOf = { production: inProduction ?? text, development: inDevelopment ?? (inProduction && text) };
    return Object.entries(defaultOf).flatMap(([mode, text]) =>
      text === undefined ? [] : [{ name, mode: mode as Default['mode'], text }],
    );
  });
}

describe('the table in docs/settings.md', () => {
  it('has a row for each setting that is read, and no other', () => {
    expect(rows.flatMap((row) => row.names).toSorted()).to.deep.equal([...names].toSorted());
    expect(names).to.have.length.above(40);
  });

  const defaults = rows.flatMap(defaultsOf).filter(({ name }) => name !== 'MODE');
  it('says most defaults as texts', () => expect(defaults).to.have.length.above(40));

  for (const { name, mode, text } of defaults) {
    it(`says the default of ${name} in ${mode} mode: ${text}`, () => {
      const others = { MODE: mode, EGRESS_PROXY: 'http://proxy.example.com:3128' };
      const given = readSettings(settings, { ...others, [name]: text });
      expect(given.problems.get(name)).to.equal(undefined);
      expect(given.values).to.deep.equal(readSettings(settings, others).values);
    });
  }
});
