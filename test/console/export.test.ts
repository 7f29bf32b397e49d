import { expect } from 'chai';
import { csvOf } from '../../src/console/pages/export.js';

describe('the export of a list', () => {
  it('has the fields of all rows, quoted as RFC 4180 says, and no text that is a formula', () => {
    const rows = [
      { id: 'one', text: 'a "quoted", text', count: -1 },
      { id: '=1+1', last: null, list: [1] },
    ];
    expect(csvOf(rows)).to.equal('id,text,count,last,list\r\none,"a ""quoted"", text",-1,,\r\n\'=1+1,,,,[1]\r\n');
  });
});
