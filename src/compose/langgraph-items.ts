/** Items of a LangGraph store as entries, for whoever writes them without LangGraph: `LaminaStore` finds them. */

export { itemWriting } from '../langgraph/item-writing.ts';
