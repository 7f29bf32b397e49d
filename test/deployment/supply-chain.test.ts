import { readdirSync, readFileSync } from 'node:fs';
import { expect } from 'chai';

const project = new URL('../../../', import.meta.url);
const text = (path: string) => readFileSync(new URL(path, project), 'utf8');
const workflows = readdirSync(new URL('.github/workflows/', project)).map((name) => `.github/workflows/${name}`);

describe('what builds a release', () => {
  it('uses actions by commit, with the release that it is beside it', () => {
    const used = workflows.flatMap((path) => text(path).match(/uses: .*/g) ?? []);
    expect(used).not.to.deep.equal([]);
    for (const each of used) expect(each).to.match(/^uses: [\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
  });

  it('installs packages without their scripts', () => {
    for (const path of ['Dockerfile', ...workflows]) {
      for (const [command] of text(path).matchAll(/\bnpm (ci|prune)\b.*/g)) {
        expect(command, path).to.include('--ignore-scripts');
      }
    }
  });

  it('gives the image the labels of OCI, with the commit that the workflow names', () => {
    const dockerfile = text('Dockerfile');
    for (const label of ['title', 'description', 'version', 'revision', 'source', 'base.name']) {
      expect(dockerfile).to.include(`org.opencontainers.image.${label}=`);
    }
    const base = /base\.name="docker\.io\/library\/([^"]+)"/.exec(dockerfile)?.[1];
    expect(dockerfile).to.include(`\nFROM ${base}\n`);
    for (const name of ['VERSION', 'REVISION', 'SOURCE']) {
      expect(dockerfile).to.match(new RegExp(`^ARG ${name}=`, 'm'));
      expect(text('.github/workflows/release.yml')).to.include(`--build-arg "${name}=`);
    }
  });
});
