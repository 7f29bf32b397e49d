import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { expect } from 'chai';
import type { Communication } from '../support/make/communicate.js';
import { appFolder, base, codeOf, manifest, requestsOf } from '../support/make/make-app.js';

type Parameter = Readonly<Record<string, unknown>> & { name: string; options?: unknown };

const { components, generalCodeFiles } = manifest;
const modules = Object.entries(components.module);
const all = Object.values(components).flatMap((each) => Object.entries(each));
const keysOf = (value: object): readonly string[] => Object.keys(value);

/** Directives of a request and of an answer: https://developers.make.com/custom-apps-documentation/component-blocks/api. */
const requestDirectives = [
  ...[
    'url',
    'baseUrl',
    'method',
    'headers',
    'qs',
    'body',
    'type',
    'encodeUrl',
    'ca',
    'timeout',
    'gzip',
    'aws',
    'oauth',
  ],
  ...['temp', 'condition', 'followRedirects', 'followAllRedirects', 'pagination', 'repeat', 'response', 'log'],
];
const responseDirectives = [
  ...['type', 'valid', 'limit', 'error', 'iterate', 'temp', 'output', 'trigger', 'data', 'metadata', 'uid', 'wrapper'],
  'expires',
];
/** https://developers.make.com/custom-apps-documentation/app-components/webhooks */
const webhookDirectives = ['verification', 'respond', 'iterate', 'output', 'condition', 'uid'];
const oauthSteps = ['preauthorize', 'authorize', 'token', 'info', 'refresh', 'invalidate'];
/** https://developers.make.com/custom-apps-documentation/app-components/base/error-handling */
const errorTypes = [
  ...['RuntimeError', 'DataError', 'RateLimitError', 'OutOfSpaceError', 'ConnectionError', 'InvalidConfigurationError'],
  ...['InvalidAccessTokenError', 'IncompleteDataError', 'DuplicateDataError'],
];
/** https://developers.make.com/custom-apps-documentation/block-elements/parameters */
const parameterKeys = [
  ...['name', 'label', 'help', 'type', 'required', 'default', 'advanced', 'options', 'mappable', 'editable', 'spec'],
  ...['multiline', 'nested', 'sort', 'multiple', 'grouped', 'labels', 'time', 'validate', 'rpc'],
];
const parameterTypes = [
  ...[
    'any',
    'array',
    'boolean',
    'buffer',
    'cert',
    'collection',
    'color',
    'date',
    'email',
    'filename',
    'filter',
    'hidden',
  ],
  ...[
    'integer',
    'json',
    'number',
    'password',
    'path',
    'pkey',
    'port',
    'select',
    'text',
    'time',
    'timestamp',
    'timezone',
  ],
  ...['uinteger', 'url', 'uuid'],
];

/** All requests of the app, by what they belong to. */
const requests: readonly (readonly [string, Communication])[] = [
  ['base', base],
  ...Object.entries(codeOf<Record<string, Communication>>('connection', 'flowHooks', 'communication')),
  ...['attach', 'detach'].map((code) => [code, codeOf<Communication>('webhook', 'flowEvents', code)] as const),
  ...modules.flatMap(([name]) => requestsOf(name).map((request) => [name, request] as const)),
  ...keysOf(components.rpc).map((name) => [name, codeOf<Communication>('rpc', name, 'communication')] as const),
];

const parameterLists: readonly (readonly [string, readonly Parameter[]])[] = [
  ['webhook', codeOf<readonly Parameter[]>('webhook', 'flowEvents', 'params')],
  ...modules.flatMap(([name]) =>
    ['staticParams', 'mappableParams', 'interface'].map(
      (code) => [`${code} of ${name}`, codeOf<readonly Parameter[]>('module', name, code)] as const,
    ),
  ),
];

describe('the files of the Make app', () => {
  it('are those that makecomapp.json names, named as Make names them, and parse', () => {
    const named = [generalCodeFiles, ...all.map(([, { codeFiles }]) => codeFiles)]
      .flatMap((files) => Object.values(files))
      .filter((path) => path !== null);
    const present = readdirSync(appFolder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => relative(appFolder, join(entry.parentPath, entry.name)))
      .filter((path) => !['README.md', '.gitignore', 'makecomapp.json'].includes(path));
    expect(present).to.have.members(named);
    for (const path of named.filter((each) => each.endsWith('.json')))
      expect(() => JSON.parse(readFileSync(join(appFolder, path), 'utf8')), path).not.to.throw();
    const unusual = named.filter(
      (path) => !/^(general|modules)\/\w+\.|\/([\w-]+)\/\2\.[\w-]+(\.iml)?\.json$/.test(path),
    );
    expect(unusual).to.deep.equal([]);
  });

  it('refer to components that exist', () => {
    const references = all.flatMap(([, { connection, webhook }]) => [connection ?? '', webhook ?? '']).filter(Boolean);
    expect(references).to.have.members([...Array(6).fill('flowHooks'), 'flowEvents']);
    const text = readdirSync(appFolder, { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.iml.json'))
      .map((name) => readFileSync(join(appFolder, name), 'utf8'))
      .join('\n');
    const rpcs = [...text.matchAll(/rpc:\/\/(\w+)/g)].map(([, name]) => name);
    expect(new Set(rpcs)).to.deep.equal(new Set(keysOf(components.rpc)));
    const groups = JSON.parse(readFileSync(join(appFolder, generalCodeFiles.groups ?? ''), 'utf8')) as readonly {
      modules: readonly string[];
    }[];
    expect(groups.flatMap((group) => group.modules)).to.have.members(modules.map(([name]) => name));
    const scopes = keysOf(codeOf<object>('connection', 'flowHooks', 'scopeList'));
    for (const [name] of modules.filter(([, { moduleType }]) => moduleType !== 'instant_trigger'))
      expect(scopes, name).to.include.members(codeOf<string[]>('module', name, 'scope'));
  });

  it('have no directives, parameters and error types that Make does not document', () => {
    expect(oauthSteps).to.include.members([...keysOf(codeOf<object>('connection', 'flowHooks', 'communication'))]);
    expect(webhookDirectives).to.include.members([...keysOf(codeOf<object>('webhook', 'flowEvents', 'communication'))]);
    for (const [name, request] of requests) {
      expect(requestDirectives, name).to.include.members([...keysOf(request)]);
      expect(responseDirectives, name).to.include.members([...keysOf(request.response ?? {})]);
      for (const { type = 'RuntimeError' } of Object.values(request.response?.error ?? {}) as { type?: string }[])
        expect(errorTypes, name).to.include.members(type.match(/\w+Error\b/g) ?? []);
    }
    for (const [list, parameters] of parameterLists)
      for (const parameter of parameters) {
        expect(parameterKeys, `${parameter.name} in ${list}`).to.include.members([...keysOf(parameter)]);
        expect(parameterTypes, `${parameter.name} in ${list}`).to.include(parameter.type);
        expect(parameter.label, `label of ${parameter.name} in ${list}`).to.be.a('string');
      }
  });

  it('have Make repeat later after temporary failures of the service or a proxy', () => {
    const withTypes = requests.filter(([, { response }]) => response?.error && '503' in response.error);
    expect(withTypes).to.have.length.above(5);
    for (const [name, { response }] of withTypes)
      for (const status of ['502', '503', '504'])
        expect(response?.error?.[status], `${status} in ${name}`)
          .to.include({ type: 'ConnectionError' })
          .and.have.property('message')
          .that.includes('is not reachable');
  });

  it('have what Make reviews: labels, descriptions, error messages, limits, a universal module and sanitized logs', () => {
    for (const [name, { label, description }] of modules) {
      expect(label, name).to.match(/^[A-Z][a-z]+ (an API call|[a-z ]+)$/);
      expect(description, name).to.match(/^[A-Z].*s .*\.$/);
    }
    const universal = modules.filter(([, { moduleType }]) => moduleType === 'universal').map(([name]) => name);
    expect(universal).to.deep.equal(['makeApiCall']);
    expect(codeOf<Communication>('module', 'makeApiCall', 'communication').url).to.equal(
      "{{connection.url}}/{{replace(parameters.url, '/^[/]+/', '')}}",
    );
    for (const [name, { moduleType }] of modules.filter(([, each]) => each.moduleType === 'search'))
      expect(requestsOf(name).at(-1)?.response?.limit, moduleType).to.equal('{{parameters.limit}}');
    for (const name of keysOf(components.rpc))
      expect(codeOf<Communication>('rpc', name, 'communication').response?.limit, name).to.be.a('number');
    const own = requests.filter(([name]) => !modules.some(([module]) => module === name) && !(name in components.rpc));
    for (const [name, { response, log, headers = {} }] of own.filter(([step]) => step !== 'authorize')) {
      expect(response?.error?.message, name).to.include('{{statusCode}}');
      expect(log?.sanitize, name).to.be.an('array').that.is.not.empty;
      if ('authorization' in headers) expect(log?.sanitize, name).to.include('request.headers.authorization');
    }
  });
});
