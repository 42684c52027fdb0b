/** Either the result of `action` or all that can be told from what it throws. */
export function outcome(action) {
  try {
    return action();
  } catch (error) {
    const { name, code, message } = error;
    return { class: error.constructor.name, name, code, message };
  }
}
