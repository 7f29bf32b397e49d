import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { listenersView } from '../../../projections/listeners.js';
import { sessions } from '../../../projections/sessions.js';
import { openSqliteReadModel } from '../../../src/views/sqlite/sqlite-read-model.js';
import { unpackedData } from '../../support/releases/recorded-data.js';

describe('the records of the views in a data directory of 1.0.0', () => {
  it('name the live builds after an upgrade, so that no view is built again', async () => {
    const directory = unpackedData();
    const [build] = readdirSync(join(directory, 'read-models')).filter((file) => /^listeners-v1-.*\.db$/.test(file));
    const readModel = openSqliteReadModel({ directory });
    expect(`${await readModel.live(listenersView)}.db`).to.equal(build);
    expect(await readModel.live(sessions)).to.match(/^sessions-v1-/);
    await readModel.drop(String(await readModel.live(sessions)));
    await readModel.close();

    const reopened = openSqliteReadModel({ directory });
    expect(await reopened.live(sessions), 'its record is not taken over again').to.equal(undefined);
    await reopened.close();
  });
});
