import { expect } from 'chai';
import { warnOfPlainHttp } from '../../src/service/start-warnings.js';

describe('addresses without TLS', () => {
  function warningsOf(publicUrl: string | undefined, ...loginUrls: readonly string[]): readonly object[] {
    const warnings: object[] = [];
    const byHost = Object.fromEntries(loginUrls.map((url, index) => [`${index}.example`, url]));
    warnOfPlainHttp(
      { http: { publicUrl }, signIn: { loginUrls: byHost } },
      { warn: (fields: object) => warnings.push(fields) },
    );
    return warnings;
  }

  it('cause a warning, with the name of their setting', () => {
    expect(
      warningsOf('http://hooks.example.com', 'https://login.example.com/', 'http://login.example.com/?a=b'),
    ).to.eql([
      { setting: 'PUBLIC_URL', hostname: 'hooks.example.com' },
      { setting: 'LOGIN_URLS', hostname: 'login.example.com' },
    ]);
    expect(warningsOf('http://127.0.0.1.example.com')).to.have.length(1);
  });

  it('are accepted silently on loopback, as is https', () => {
    expect(warningsOf('https://hooks.example.com', 'https://login.example.com/')).to.eql([]);
    expect(warningsOf('http://127.0.0.1:3000', 'http://localhost:4100/', 'http://[::1]/')).to.eql([]);
    expect(warningsOf(undefined)).to.eql([]);
  });
});
