/** The fields of a filter that say which task and which run. */
export function PlaceFields({
  filter,
}: {
  readonly filter: { readonly task?: string | undefined; readonly run?: string | undefined };
}) {
  return (
    <>
      <div>
        <label for="task">Task</label>
        <input id="task" name="task" type="search" value={filter.task ?? ''} maxLength={200} />
      </div>
      <div>
        <label for="run">Run</label>
        <input id="run" name="run" value={filter.run ?? ''} maxLength={200} />
      </div>
    </>
  );
}
