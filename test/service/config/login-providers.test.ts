import { resolve } from 'node:path';
import { expect } from 'chai';
import { readConfig } from '../../../src/service/config/config.js';
import type { Environment } from '../../../src/service/config/settings.js';
import { problemsOf } from './problems-of.js';

const secret = 'the-secret-of-the-client';
const provider = { issuer: 'https://id.example', clientId: 'c', clientSecret: secret, organisationsClaim: 'org' };

const withProviders = (providers: object): Environment => ({ LOGIN_PROVIDERS: JSON.stringify(providers) });

describe('LOGIN_PROVIDERS', () => {
  it('gives each host a provider, with defaults', () => {
    const { providers } = readConfig(withProviders({ '*.example.com': provider })).signIn;
    expect(providers).to.deep.equal({
      '*.example.com': {
        issuer: 'https://id.example',
        clientId: 'c',
        clientSecret: secret,
        clientAuthentication: 'client_secret_post',
        scopes: ['openid', 'profile', 'email'],
        userClaim: 'sub',
        organisationsClaim: 'org',
      },
    });
  });

  it('takes a file for the secret, and one organisation for all users', () => {
    const { clientSecret, organisationsClaim, ...others } = provider;
    const given = { ...others, clientSecretFile: 'secret.txt', organisation: 'acme', prompt: 'select_account' };
    expect(readConfig(withProviders({ '*': given })).signIn.providers['*']).to.deep.include({
      clientSecretFile: resolve('secret.txt'),
      organisation: 'acme',
      prompt: 'select_account',
    });
  });

  const without = (name: keyof typeof provider) => ({ ...provider, [name]: undefined });
  const wrong: readonly (readonly [what: string, provider: object, says: RegExp])[] = [
    ['no issuer', without('issuer'), /must be a JSON object from request host to \{"issuer", "clientId"/],
    ['an unknown field', { ...provider, secret }, /must be a JSON object from request host/],
    ['an issuer that is no URL', { ...provider, issuer: 'id' }, /must have an http or https URL for h, but has 'id'$/],
    ['an issuer with a query', { ...provider, issuer: 'https://id.example/?a' }, /must have no query and no fragment/],
    [
      'the URL of metadata',
      { ...provider, issuer: 'https://id.example/.well-known/openid-configuration' },
      /must have issuers without \/\.well-known for h, but has 'https:\/\/id\.example\/\.well-known\/openid-configuration'$/,
    ],
    ['no secret', without('clientSecret'), /must have either clientSecret or clientSecretFile for h/],
    ['two secrets', { ...provider, clientSecretFile: 'x' }, /must have either clientSecret or clientSecretFile for h/],
    [
      'an ID of no claim',
      { ...without('organisationsClaim'), organisation: 'x', organisationId: 'id' },
      /must have organisationsClaim beside organisationId for h/,
    ],
    ['no organisation', without('organisationsClaim'), /must have either organisationsClaim or organisation for h/],
    ['two organisations', { ...provider, organisation: 'x' }, /must have either organisationsClaim or organisation/],
    [
      'an organisation that is no ID',
      { ...without('organisationsClaim'), organisation: '' },
      /must have an organisation of 1 to 256 printable characters for h$/,
    ],
    ['no openid', { ...provider, scopes: ['profile'] }, /must have the scope openid among the scopes for h/],
    ['another authentication', { ...provider, clientAuthentication: 'none' }, /must be a JSON object/],
  ];
  for (const [what, given, says] of wrong) {
    it(`refuses a provider with ${what}, and does not print the secret`, () => {
      const [problem, ...others] = problemsOf(withProviders({ h: given }));
      expect(problem)
        .to.match(/^LOGIN_PROVIDERS /)
        .and.to.match(says);
      expect(problem).to.not.include(secret);
      expect(others).to.deep.equal([]);
    });
  }

  it('must name a provider', () => {
    expect(problemsOf(withProviders({}))).to.deep.equal(['LOGIN_PROVIDERS must name at least one provider']);
  });

  it('refuses a host that has a login URL too', () => {
    const both = { ...withProviders({ 'A.example': provider }), LOGIN_URLS: '{"a.example":"https://login.example/"}' };
    expect(problemsOf(both)).to.deep.equal(['LOGIN_PROVIDERS has the host A.example, which LOGIN_URLS has too']);
  });

  const production = {
    MODE: 'production',
    PUBLIC_URL: 'https://hooks.example.com',
    SIGNING_KEYS: 'keys.json',
    MASTER_KEYS: 'master.txt',
    ...withProviders({ 'a.example': provider }),
  };

  it('replaces the login page in production; with one, its codes have to be known', () => {
    expect(problemsOf(production)).to.deep.equal([]);
    const [problem] = problemsOf({ ...production, LOGIN_URLS: '{"*":"https://login.example/"}' });
    expect(problem).to.match(/^LOGIN_ISSUER is needed in production mode/);
  });

  it('refuses a login page that signs in the name of the service', () => {
    const login = {
      LOGIN_ISSUER: production.PUBLIC_URL,
      LOGIN_JWKS: 'https://login.example/jwks.json',
      LOGIN_AUDIENCE: 'x',
    };
    expect(problemsOf({ ...production, ...login })).to.deep.equal([
      'LOGIN_ISSUER must not be PUBLIC_URL where LOGIN_PROVIDERS is set',
    ]);
  });
});
