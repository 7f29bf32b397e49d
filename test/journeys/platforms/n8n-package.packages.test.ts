import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { nodesPackage } from '../../support/n8n/nodes-package.js';

describe('the n8n package', () => {
  it("passes the rules of n8n's linter", () => {
    const eslint = join(nodesPackage, 'node_modules/eslint/bin/eslint.js');
    const { status, stdout, stderr } = spawnSync(process.execPath, [eslint, '--max-warnings', '0', '.'], {
      cwd: nodesPackage,
      encoding: 'utf8',
    });
    expect(status, `${stdout}${stderr}`).to.equal(0);
  });

  it('has no dependencies at run time, as n8n demands of verified nodes', () => {
    const { dependencies, peerDependencies } = JSON.parse(readFileSync(join(nodesPackage, 'package.json'), 'utf8'));
    expect(dependencies).to.equal(undefined);
    expect(peerDependencies).to.deep.equal({ 'n8n-workflow': '*' });
  });
});
