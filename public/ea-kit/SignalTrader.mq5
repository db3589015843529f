//+------------------------------------------------------------------+
//| SignalTrader.mq5                                                 |
//| Follows the signals of every slot of a plan from one chart.      |
//| MetaTrader 5. Everything is in SignalTrader.mqh, in this folder. |
//| Attach it to one chart of any symbol.                            |
//+------------------------------------------------------------------+
#property version "1.00"
#property strict

#include "SignalTrader.mqh"
