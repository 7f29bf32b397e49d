import { expect } from 'chai';
import { portalSettings } from '../../../src/console/settings.js';
import { readConfig } from '../../../src/service/config/config.js';
import { readSettings } from '../../../src/service/config/read-settings.js';
import type { Environment } from '../../../src/service/config/settings.js';
import { InvalidConfiguration } from '../../../src/service/config/settings.js';

const problemsOf = (environment: Environment): readonly string[] =>
  [...readSettings(portalSettings, { MODE: 'production', ...environment }).problems].map((problem) =>
    problem.join(' '),
  );

describe('the settings of the portal', () => {
  it('permit no page to embed it, and have the colours of the console, unless they are set', () => {
    expect(readConfig({}).portal).to.deep.equal({
      ...{ origins: [], name: 'Flow Hooks', logo: undefined, colours: undefined },
      actions: ['pause', 'options', 'test', 'rotate-secret', 'unsubscribe', 'replay', 'redeliver', 'publish'],
    });
  });

  it('name origins, also of all subdomains, a name and colours', () => {
    const environment = {
      PORTAL_ORIGINS: 'https://app.example.com, https://*.example.org:8443,http://localhost:8080',
      PORTAL_NAME: 'Exämple & Co.',
      PORTAL_ALLOWS: 'test, register',
      PORTAL_LOGO: 'assets/console/favicon.svg',
      PORTAL_COLOURS: '{"light": "#0b57d0", "dark": "#a8c7fa"}',
    };
    const { logo, ...portal } = readConfig(environment).portal;
    expect(logo?.type).to.equal('svg');
    expect(portal).to.deep.equal({
      origins: ['https://app.example.com', 'https://*.example.org:8443', 'http://localhost:8080'],
      name: 'Exämple & Co.',
      colours: { light: '#0b57d0', dark: '#a8c7fa' },
      actions: ['register', 'test'],
    });
  });

  it('give the console a brand too', () => {
    const { console, portal } = readConfig({ CONSOLE_NAME: 'Example Company' });
    expect([console.name, portal.name]).to.deep.equal(['Example Company', 'Flow Hooks']);
  });

  const wrong: readonly (readonly [name: string, value: string, says: RegExp])[] = [
    ['PORTAL_ORIGINS', 'app.example.com', /PORTAL_ORIGINS must be origins such as https:\/\/app\.example\.com/],
    ['PORTAL_ORIGINS', 'https://app.example.com/page', /must be origins/],
    ['PORTAL_ORIGINS', "https://app.example.com; script-src 'unsafe-inline'", /must be origins/],
    ['PORTAL_ORIGINS', 'https://app.example.com,', /must be origins/],
    ['PORTAL_ORIGINS', '*', /must be origins/],
    ['PORTAL_ORIGINS', 'https://*', /must be origins/],
    ['PORTAL_ORIGINS', 'https://a.*.example.com', /must be origins/],
    ['PORTAL_ORIGINS', 'http://app.example.com', /PORTAL_ORIGINS must be https origins/],
    ['PORTAL_ALLOWS', 'test,erase', /PORTAL_ALLOWS must be none, or some of register,.*, but has 'erase'/],
    ['PORTAL_LOGO', 'package.json', /PORTAL_LOGO must be a file \.svg or \.png/],
    ['PORTAL_LOGO', 'none.svg', /PORTAL_LOGO cannot be read: ENOENT/],
    ['PORTAL_NAME', 'x'.repeat(61), /PORTAL_NAME must be 1 to 60 characters, without control characters/],
    ['PORTAL_COLOURS', '#0b57d0', /PORTAL_COLOURS must be a JSON object such as/],
    ['PORTAL_COLOURS', '{"light": "blue", "dark": "#a8c7fa"}', /must have colours such as #0b57d0/],
    ['PORTAL_COLOURS', '{"light": "#a8c7fa", "dark": "#a8c7fa"}', /contrast of at least 4.5 on light pages/],
  ];
  for (const [name, value, says] of wrong) {
    it(`refuse ${name}=${value.slice(0, 60)}`, () => {
      const [problem, ...more] = problemsOf({ [name]: value });
      expect(problem).to.match(says);
      expect(more).to.deep.equal([]);
    });
  }

  it('keep the service from starting if they are wrong', () => {
    expect(() => readConfig({ PORTAL_ORIGINS: '*' })).to.throw(InvalidConfiguration, /PORTAL_ORIGINS/);
  });
});
