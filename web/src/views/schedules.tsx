// The schedules of a worker that has them. Its members are shown as they come.

import { absolute } from '../format/times.ts';
import { useLoad } from '../live/load.ts';
import { api } from '../live/session.ts';
import { Content } from '../parts/notice.tsx';
import { Title } from '../parts/title.tsx';

const kEveryMs = 5000;

export function Schedules() {
  const loaded = useLoad((signal) => api.schedules(signal), [], kEveryMs);
  return (
    <>
      <Title text="Schedules" />
      <Content of={loaded}>
        {(rows) => {
          const members = [...new Set(rows.flatMap((row) => Object.keys(row)))];
          return (
            <section class="panel" aria-label="Schedules">
              {rows.length === 0 ? <p class="empty">There is no schedule.</p> : (
                <div class="scroll" tabIndex={0} role="region" aria-label="Table of schedules">
                  <table>
                    <thead><tr>{members.map((name) => <th key={name}>{name.replace(/_/g, ' ')}</th>)}</tr></thead>
                    <tbody>
                      {rows.map((row, index) => (
                        <tr key={index}>{members.map((name) => <td key={name}>{cell(row[name])}</td>)}</tr>
                      ))}
                    </tbody>
                  </table>
                </div>
              )}
            </section>
          );
        }}
      </Content>
    </>
  );
}

function cell(value: unknown): string {
  if (value === null || value === undefined) return '–';
  if (typeof value === 'string') return /^\d{4}-\d\d-\d\dT/.test(value) ? absolute(value) : value;
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  return JSON.stringify(value);
}
