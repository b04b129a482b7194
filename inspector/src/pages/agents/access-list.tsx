/** Who may read and write what is shared. */

import type { VNode } from 'preact';
import type { AccessControl } from '../../../../src/domain/sharing.ts';
import { me } from '../../api/me.ts';
import { TableHead } from '../../components/table-head.tsx';

interface AccessListProps {
  readonly ownerId: string;
  readonly agentId?: string | undefined;
  readonly access: AccessControl;
}

export function AccessList({ ownerId, agentId, access }: AccessListProps): VNode {
  const { read, write, publicRead } = access;
  return (
    <>
      <table class="values access">
        <TableHead columns={['Who', 'Reads', 'Writes', 'Manages']} />
        <tbody>
          <Row
            who={agentId === undefined ? ownerId : `${ownerId} / ${agentId}`}
            note="owner"
            rights={[true, true, true]}
          />
          {write.map((id) => (
            <Row who={id} rights={[true, true, false]} key={`write ${id}`} />
          ))}
          {read.map((id) => (
            <Row who={id} rights={[true, false, false]} key={`read ${id}`} />
          ))}
          {publicRead && <Row who="Everyone of the tenant" rights={[true, false, false]} />}
        </tbody>
      </table>
      {me.value !== undefined && me.value.userId !== ownerId && (
        <p class="quiet">Who else has access is the owner’s to know: you see of the list what is about yourself.</p>
      )}
    </>
  );
}

interface RowProps {
  readonly who: string;
  readonly note?: string;
  readonly rights: readonly [reads: boolean, writes: boolean, manages: boolean];
}

function Row({ who, note, rights }: RowProps): VNode {
  return (
    <tr>
      <th scope="row">
        {who} {note !== undefined && <span class="tag">{note}</span>}
      </th>
      {rights.map((has, at) => (
        <td key={at}>{has ? <span class="yes">yes</span> : <span class="quiet">no</span>}</td>
      ))}
    </tr>
  );
}
