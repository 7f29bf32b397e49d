import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { backgrounds, themeOf } from '../../../src/site/brand/theme.js';

describe('the colours of the portal', () => {
  const good = { light: '#0b57d0', dark: '#a8c7fa' };

  it('become a stylesheet for light and dark pages, with a text on buttons that can be read', () => {
    const { css } = themeOf(good);
    expect(css).to.match(
      /^:root\{--accent:#0b57d0;--accent-strong:#0946a6;--accent-soft:#e7eefa;--on-accent:#ffffff\}/,
    );
    expect(css).to.match(/prefers-color-scheme:dark\)\{:root\{--accent:#a8c7fa;.*--on-accent:#000000\}\}/);
    expect(themeOf(good).hash).not.to.equal(themeOf({ ...good, light: '#0a50c0' }).hash);
  });

  it('are refused if they could not be read, or are none', () => {
    expect(() => themeOf({ ...good, light: '#a8c7fa' })).to.throw(
      /^must have colours with a contrast of at least 4.5 on light pages, but #a8c7fa has 1\.\d on #f6f7f9$/,
    );
    expect(() => themeOf({ ...good, dark: '#0b57d0' })).to.throw(/on dark pages/);
    for (const none of ['red', '#fff', '#0b57d0;}', ''])
      expect(() => themeOf({ ...good, light: none })).to.throw(/must have colours such as #0b57d0/);
  });

  it('are compared with the backgrounds of the pages', () => {
    const css = readFileSync('assets/console/console.css', 'utf8');
    const [light = '', dark = ''] = css.split('prefers-color-scheme: dark');
    const of = (text: string) =>
      ['ground', 'surface', 'raised'].map((name) => new RegExp(`--${name}: (#[0-9a-f]{6});`).exec(text)?.[1]);
    expect(of(light)).to.deep.equal(backgrounds.light);
    expect(of(dark)).to.deep.equal(backgrounds.dark);
  });
});
