import { expect } from 'chai';
import { returnPath } from '../../../src/console/session/return-path.js';

describe('the page after a sign-in', () => {
  const base = '/below/console';
  const led = (text: string | undefined) => returnPath(base, text);

  it('is the requested one, with its query', () => {
    for (const path of [base, `${base}/listeners/1`, `${base}/deliveries?orgId=a%20b&state=failed`]) {
      expect(led(path)).to.equal(path);
    }
  });

  it('is the overview where the text names no page of the console', () => {
    const others = [
      'https://elsewhere.example/below/console',
      '//elsewhere.example/below/console',
      '/\\elsewhere.example/below/console',
      '\\\\elsewhere.example',
      ' //elsewhere.example',
      '\t//elsewhere.example',
      'javascript:alert(1)',
      'data:text/html,x',
      'http://console.invalid:81/below/console',
      '/below/console/../../admin',
      '/below/console/%2e%2e/other',
      '/below/consoles',
      '/elsewhere',
      '',
      'x'.repeat(3_000),
      undefined,
    ];
    for (const text of others) expect(led(text), String(text).slice(0, 50)).to.equal(base);
  });

  it('is a path of this origin, whatever is in it', () => {
    expect(led(`${base}//elsewhere.example`)).to.equal(`${base}//elsewhere.example`);
    expect(led(`${base}/a\r\nSet-Cookie: x`)).to.equal(`${base}/aSet-Cookie:%20x`);
    expect(led(`${base}?a=<script>`)).to.equal(`${base}?a=%3Cscript%3E`);
  });
});
