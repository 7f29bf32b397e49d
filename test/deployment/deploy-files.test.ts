import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import * as apps from 'kubernetes-models/apps/v1';
import * as policy from 'kubernetes-models/policy/v1';
import * as core from 'kubernetes-models/v1';
import { parseAllDocuments } from 'yaml';
import { temporaryDirectory } from '../support/temporary-directory.js';

const project = new URL('../../../', import.meta.url);
const read = (path: string): string => readFileSync(new URL(path, project), 'utf8');

type Manifest = { readonly apiVersion: string; readonly kind: string; readonly [field: string]: unknown };
type Model = new (manifest: never) => { readonly validate: () => void };

const models: Readonly<Record<string, Model>> = {
  'v1 ConfigMap': core.ConfigMap,
  'v1 Service': core.Service,
  'apps/v1 Deployment': apps.Deployment,
  'policy/v1 PodDisruptionBudget': policy.PodDisruptionBudget,
};

function validate(manifest: Manifest): void {
  const Model = models[`${manifest.apiVersion} ${manifest.kind}`];
  if (Model === undefined) throw new Error(`no model of ${manifest.apiVersion} ${manifest.kind}`);
  new Model(manifest as never).validate(); // the constructor expects the manifest's own type, which `validate` checks
}

describe('deploy/flow-hooks.service', () => {
  // `systemd-analyze verify` also checks that the program exists.
  const verify = (unit: string) => {
    const path = join(temporaryDirectory(), 'flow-hooks.service');
    const program = fileURLToPath(new URL('bin/flow-hooks.js', project));
    writeFileSync(path, unit.replace('/opt/flow-hooks/node_modules/.bin/flow-hooks serve', `${program} serve`));
    return spawnSync('systemd-analyze', ['verify', '--man=no', path], { encoding: 'utf8' });
  };

  it('is accepted by systemd-analyze without a warning', () => {
    const { error, status, stderr } = verify(read('deploy/flow-hooks.service'));
    expect(error, 'Debian’s package systemd has systemd-analyze').to.equal(undefined);
    expect(stderr).not.to.include('flow-hooks.service');
    expect(status, stderr).to.equal(0);
  });

  it('is refused with a misspelt option', () => {
    const { stderr } = verify(read('deploy/flow-hooks.service').replace('ProtectHome=', 'ProtectHouse='));
    expect(stderr).to.match(/flow-hooks\.service:\d+: .*ProtectHouse/);
  });

  it('gives the service few privileges: systemd rates its exposure at 2.0 or less', () => {
    const unit = join(temporaryDirectory(), 'flow-hooks.service');
    writeFileSync(unit, read('deploy/flow-hooks.service'));
    const report = execFileSync('systemd-analyze', ['security', '--offline=true', '--threshold=20', unit], {
      encoding: 'utf8',
    });
    expect(report).to.match(/Overall exposure level for flow-hooks\.service: [01]\.\d|: 2\.0/);
  });
});

describe('deploy/kubernetes.yaml', () => {
  const manifests = parseAllDocuments(read('deploy/kubernetes.yaml')).map((document) => {
    expect(document.errors).to.deep.equal([]);
    return document.toJS() as Manifest;
  });
  const deployment = JSON.stringify(manifests.find(({ kind }) => kind === 'Deployment'));

  it('holds manifests that the schemas of Kubernetes accept', () => {
    expect(manifests.map(({ kind }) => kind)).to.deep.equal([
      'ConfigMap',
      'Deployment',
      'Service',
      'PodDisruptionBudget',
    ]);
    for (const manifest of manifests) validate(manifest);
  });

  it('is refused with a probe of the wrong type', () => {
    const wrong = JSON.parse(deployment.replaceAll('"periodSeconds":5', '"periodSeconds":"often"')) as Manifest;
    expect(() => validate(wrong)).to.throw(/periodSeconds/);
  });

  it('probes routes that the service has, and names settings that are documented', () => {
    const paths = [...deployment.matchAll(/"path":"(\/[^"]*)"/g)].map(([, path]) => path);
    expect(paths).to.have.members(['/readyz', '/healthz', '/healthz']);
    const documented = read('docs/settings.md');
    const { data } = manifests.find(({ kind }) => kind === 'ConfigMap') as unknown as { data: Record<string, string> };
    expect(Object.keys(data).filter((name) => !documented.includes(`\`${name}\``))).to.deep.equal([]);
  });
});
