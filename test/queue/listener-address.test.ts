import { expect } from 'chai';
import { withoutHookUrl } from '../../src/queue/listener-address.js';

describe('the shown answer of a listener', () => {
  const hookUrl = 'https://hooks.example.com/hooks/catch/12345/s3cr3t-t0ken/?key=an%20other%2Bsecret&v=2';
  const shown = (text: string) => withoutHookUrl(text, hookUrl);

  it('does not tell the path and the query that it was posted to', () => {
    expect(shown(`Cannot POST ${new URL(hookUrl).pathname}`)).to.equal('Cannot POST …');
    expect(shown(`{"url":"${hookUrl}"}`)).to.equal('{"url":"https://hooks.example.com…"}');
    expect(shown('not found: key=an%20other%2Bsecret&v=2')).to.equal('not found: …');
  });

  it('does not tell pieces of them either, however they are written', () => {
    expect(shown('{"path":"\\/hooks\\/catch\\/12345\\/s3cr3t-t0ken"}')).not.to.include('s3cr3t');
    expect(shown('<pre>/hooks/catch/12345/s3cr3t-t0ken/?key=an other+secret&amp;v=2</pre>')).to.equal('<pre>…</pre>');
  });

  it('does not tell short pieces where the whole is written in the way of JSON, of HTML or of a query', () => {
    const short = 'https://hooks.example.com/catch/1234567/abcdefg/?k=s3cr3t&t=tok3n';
    const whole = '/catch/1234567/abcdefg/?k=s3cr3t&t=tok3n';
    for (const written of [
      whole.replaceAll('/', '\\/'),
      whole.replaceAll('&', '\\u0026'),
      whole.replaceAll('&', '&amp;'),
      encodeURIComponent(whole),
    ]) {
      expect(withoutHookUrl(`no such route: ${written}`, short), written).to.equal('no such route: …');
    }
  });

  it('does not tell the beginning of one where it is cut off', () => {
    expect(shown('Cannot POST /hooks/catch/12345/s3cr')).to.equal('Cannot POST …');
    expect(shown('no such key: s3cr3t-t0')).to.equal('no such key: …');
  });

  it('is told as it is otherwise', () => {
    for (const text of ['', 'ok', '{"status":"success","id":"12345"}', 'hooks.example.com'])
      expect(shown(text)).to.equal(text);
    expect(withoutHookUrl('a/b / c', 'https://example.com/')).to.equal('a/b / c');
    expect(withoutHookUrl('100 %', 'https://example.com/100%25-lone%/')).to.equal('100 %');
  });
});
